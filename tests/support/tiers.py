"""Which cases of a slow test run always, and which only in `make test-all`."""

import pytest


def some_slow(values, first):
    """Mark the first cases slow, and the others long: more of the same."""
    return [
        pytest.param(value, marks=pytest.mark.slow if at < first else pytest.mark.long)
        for at, value in enumerate(values)
    ]


# Slow tests whose like runs in the slow tier too: another engine, noise, fault or example of the
# same kind. They cost a quarter of that tier's time, and `make test-all` runs them.
ALSO_LONG = (
    "drawing/test_ray.py::test_an_input_that_kills_the_worker",
    "drawing/test_ray.py::test_texts_are_drawn_with_the_same_bits",
    "drawing/test_ray.py::test_stopped_and_resumed",
    "drawing/test_ray.py::test_a_killed_worker_costs_its_unit_only",
    "drawing/test_ray.py::test_a_worker_with_another_model_is_left_out",
    "drawing/test_ray.py::test_a_model_that_fails_is_called_again",
    "drawing/test_ray.py::test_shards_on_ray",
    "drawing/test_sequences.py::test_stopped_and_resumed",
    "drawing/test_sequences.py::test_a_killed_worker_costs_its_unit_only",
    "drawing/test_local.py::test_networks_draw_the_same_bits_with_any_share_of_threads",
    "drawing/test_local.py::test_stopped_and_resumed",
    "drawing/test_every_noise.py::test_kills_and_workers_change_nothing[laplace]",
    "drawing/test_adaptive.py::test_stopped_after_any_batch_and_resumed",
    "drawing/test_patience.py::test_an_input_whose_connection_is_always_reset",
    "drawing/test_patience.py::test_ctrl_c_in_a_pause",
    "faults/test_faults.py::test_nothing_is_lost_and_a_sentence_is_said[out_of_memory]",
    "faults/test_faults.py::test_nothing_is_lost_and_a_sentence_is_said[out_of_addresses]",
    "faults/test_faults.py::test_nothing_is_lost_and_a_sentence_is_said[removed]",
    "faults/test_faults.py::test_nothing_is_lost_and_a_sentence_is_said[moved]",
    "faults/test_faults.py::test_nothing_is_lost_and_a_sentence_is_said[read_only]",
    "figures/test_catalogue.py::test_every_threat_is_drawn_with_its_name[winner-laplace]",
    "figures/test_catalogue.py::test_every_threat_is_drawn_with_its_name[ratio-laplace]",
    "figures/test_catalogue.py::test_no_text_is_cut_or_covers_another[threats]",
    "figures/test_catalogue.py::test_the_map_of_threats_has_one_for_every_noise",
    "figures/test_regions.py::test_a_map_of_a_page_fits_too",
    "test_every_noise.py::test_figures_are_written[laplace]",
    "test_every_noise.py::test_figures_are_written[contrast]",
    "test_examples.py::test_it_runs[noise_behind_a_layer]",
    "test_examples.py::test_it_runs[pytorch_cnn]",
    "test_examples.py::test_it_runs[toolbox_attacks]",
    "test_examples.py::test_it_runs[hugging_face]",
    "training/test_distribution.py::test_killed_and_resumed_equals_undisturbed",
    "mechanisms/test_enclosures.py::test_random_points_at_random_sigmas[improved_dp]",
    "mechanisms/test_enclosures.py::test_random_points_at_random_sigmas[lecuyer]",
    "mechanisms/test_mechanisms.py::test_ten_thousand_points_of_reference_arithmetic[0-improved_dp]",
    "mechanisms/test_mechanisms.py::test_a_million_points_are_monotone[improved_dp]",
    "mechanisms/test_mechanisms.py::test_a_million_points_are_monotone[li]",
    "bounds/test_gated.py::test_many_classes_by_a_long_simulation",
    "bounds/test_joint_search.py::test_a_long_hunt_for_a_radius_that_is_too_large",
    "cli/test_simplex.py::test_every_threat_is_summarised_and_drawn[options5]",
    "cli/test_simplex.py::test_ones_own_mechanism_in_any_format[pdf]",
    "cli/test_sample_imports.py::test_sample_loads_no_room_of_the_analysis[--kind softmax]",
    "cli/test_sample_imports.py::test_sample_loads_no_room_of_the_analysis[--until radius=0.1]",
    "test_rules_benchmark.py::test_every_rule_runs_on_a_few_streams",
    "smoothed/test_operational.py::test_it_holds_on_a_linear_classifier[1000]",
    "smoothed/test_prediction.py::test_wrong_at_most_alpha[0.05]",
    "verification/test_verification.py::test_no_altered_run_toml_makes_verification_fall_over",
    "cli/test_population.py::test_plan_divides_a_budget",
    "data/test_arrays.py::test_every_damage_is_a_sentence",
)
