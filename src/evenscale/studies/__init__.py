"""The scale study: what changes in a campaign when every measure is on its interval scale."""

from evenscale.studies.judged import campaign_of
from evenscale.studies.study import DEFAULT_DEPTHS, DEFAULT_MEASURES, EIGHT, Study, study

__all__ = ["DEFAULT_DEPTHS", "DEFAULT_MEASURES", "EIGHT", "Study", "campaign_of", "study"]
