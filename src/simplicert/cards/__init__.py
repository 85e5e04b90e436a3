"""Write a card for a run: what is certified and what is not, in words that may be quoted.

`card` makes a `Card`, which is written as Markdown, as an HTML page or as a Hugging Face model
card. `claim_text` is the TOML by which a board takes the run.
"""

from simplicert.cards.making import Card, card

__all__ = ["Card", "card"]
