"""A scikit-learn model on tabular data, each feature with its own share of the noise.

    python examples/sklearn_tabular.py

Features in different units need different noise: `noise_scale` gives each its share, here its
standard deviation. The certificate is then in the scaled norm, the root of the sum of squares of
change / scale.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import simplicert as sc

data = load_breast_cancer()
inputs, labels = data.data.astype(np.float32), data.target
scale = inputs[:400].std(axis=0)

random = np.random.default_rng(0)
noisy = inputs[:400] + 0.5 * scale * random.standard_normal(inputs[:400].shape)
fitted = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(noisy, labels[:400])

smooth = sc.Smoothed(fitted.predict_proba, sigma=0.5, outputs="probabilities", noise_scale=scale)
certificates = smooth.certify(inputs[400:420], draws=2000, labels=labels[400:420], seed=0)
print(certificates.to_frame()[["label", "predicted", "correct", "radius"]])
print("norm:", certificates.known.norm)
