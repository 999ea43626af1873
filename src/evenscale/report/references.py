"""The works that a methods paragraph cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evenscale.tables import latex_safe

Kind = Literal["article", "inproceedings", "book"]
_PLACE: dict[Kind, str] = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}


@dataclass(frozen=True, slots=True)
class Reference:
    """One work. `cited` is how a sentence names it; `where` the journal, proceedings or publisher."""

    key: str
    cited: str
    authors: str
    year: int
    title: str
    where: str
    details: str = ""
    kind: Kind = "article"

    def text(self) -> str:
        """The entry of a list of references, plain.

        >>> print(REFERENCES["Student 1908"].text())
        Student (1908). The probable error of a mean. Biometrika, 6(1), 1-25.
        """
        place = ", ".join(part for part in (self.where, self.details) if part)
        return f"{self.authors} ({self.year}). {self.title}. {place}."

    def bibtex(self) -> str:
        """The same for BibTeX."""
        authors = self.authors.replace(" and ", ", ").replace("., ", ". and ")
        fields = {"author": authors, "year": str(self.year), "title": f"{{{self.title}}}"}
        fields[_PLACE[self.kind]] = self.where
        if self.details:
            fields["note"] = self.details
        lines = [f"  {name} = {{{_plain(value)}}}," for name, value in fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def _plain(text: str) -> str:
    """Text for BibTeX; braces are meant as they are."""
    return "".join(c if c in "{}" else latex_safe(c) for c in text)


_WORKS = (
    Reference(
        "FerranteEtAl2021",
        "Ferrante, Ferro and Fuhr 2021",
        "Ferrante, M., Ferro, N. and Fuhr, N.",
        2021,
        "Towards meaningful statements in IR evaluation: mapping evaluation measures to interval scales",
        "IEEE Access",
        "9, 136182-136216",
    ),
    Reference(
        "FerranteEtAl2018",
        "Ferrante et al. 2018",
        "Ferrante, M., Ferro, N. and Pontarollo, S.",
        2018,
        "A general theory of IR evaluation measures",
        "IEEE Transactions on Knowledge and Data Engineering",
        "31(3), 409-422",
    ),
    Reference(
        "vanRijsbergen1979",
        "van Rijsbergen 1979",
        "van Rijsbergen, C. J.",
        1979,
        "Information retrieval",
        "Butterworths",
        "second edition",
        "book",
    ),
    Reference(
        "KantorVoorhees2000",
        "Kantor and Voorhees 2000",
        "Kantor, P. B. and Voorhees, E. M.",
        2000,
        "The TREC-5 confusion track: comparing retrieval methods for scanned text",
        "Information Retrieval",
        "2(2-3), 165-176",
    ),
    Reference(
        "BuckleyVoorhees2004",
        "Buckley and Voorhees 2004",
        "Buckley, C. and Voorhees, E. M.",
        2004,
        "Retrieval evaluation with incomplete information",
        "Proceedings of SIGIR 2004",
        "25-32",
        "inproceedings",
    ),
    Reference(
        "BuckleyVoorhees2005",
        "Buckley and Voorhees 2005",
        "Buckley, C. and Voorhees, E. M.",
        2005,
        "Retrieval system evaluation",
        "TREC: Experiment and Evaluation in Information Retrieval, MIT Press",
        "53-75",
        "inproceedings",
    ),
    Reference(
        "JarvelinKekalainen2002",
        "Järvelin and Kekäläinen 2002",
        "Järvelin, K. and Kekäläinen, J.",
        2002,
        "Cumulated gain-based evaluation of IR techniques",
        "ACM Transactions on Information Systems",
        "20(4), 422-446",
    ),
    Reference(
        "KekalainenJarvelin2002",
        "Kekäläinen and Järvelin 2002",
        "Kekäläinen, J. and Järvelin, K.",
        2002,
        "Using graded relevance assessments in IR evaluation",
        "Journal of the American Society for Information Science and Technology",
        "53(13), 1120-1129",
    ),
    Reference(
        "BurgesEtAl2005",
        "Burges et al. 2005",
        "Burges, C., Shaked, T., Renshaw, E., Lazier, A., Deeds, M., Hamilton, N. and Hullender, G.",
        2005,
        "Learning to rank using gradient descent",
        "Proceedings of ICML 2005",
        "89-96",
        "inproceedings",
    ),
    Reference(
        "MoffatZobel2008",
        "Moffat and Zobel 2008",
        "Moffat, A. and Zobel, J.",
        2008,
        "Rank-biased precision for measurement of retrieval effectiveness",
        "ACM Transactions on Information Systems",
        "27(1), article 2",
    ),
    Reference(
        "ChapelleEtAl2009",
        "Chapelle et al. 2009",
        "Chapelle, O., Metzler, D., Zhang, Y. and Grinspan, P.",
        2009,
        "Expected reciprocal rank for graded relevance",
        "Proceedings of CIKM 2009",
        "621-630",
        "inproceedings",
    ),
    Reference(
        "Tukey1949",
        "Tukey 1949",
        "Tukey, J. W.",
        1949,
        "Comparing individual means in the analysis of variance",
        "Biometrics",
        "5(2), 99-114",
    ),
    Reference(
        "TagueSutcliffeBlustein1995",
        "Tague-Sutcliffe and Blustein 1995",
        "Tague-Sutcliffe, J. and Blustein, J.",
        1995,
        "A statistical analysis of the TREC-3 data",
        "Proceedings of TREC-3",
        "385-398",
        "inproceedings",
    ),
    Reference(
        "Scheffe1953",
        "Scheffé 1953",
        "Scheffé, H.",
        1953,
        "A method for judging all contrasts in the analysis of variance",
        "Biometrika",
        "40(1-2), 87-104",
    ),
    Reference(
        "Friedman1937",
        "Friedman 1937",
        "Friedman, M.",
        1937,
        "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
        "Journal of the American Statistical Association",
        "32(200), 675-701",
    ),
    Reference(
        "KruskalWallis1952",
        "Kruskal and Wallis 1952",
        "Kruskal, W. H. and Wallis, W. A.",
        1952,
        "Use of ranks in one-criterion variance analysis",
        "Journal of the American Statistical Association",
        "47(260), 583-621",
    ),
    Reference(
        "Carterette2012",
        "Carterette 2012",
        "Carterette, B.",
        2012,
        "Multiple testing in statistical analysis of systems-based information retrieval experiments",
        "ACM Transactions on Information Systems",
        "30(1), article 4",
    ),
    Reference(
        "Student1908", "Student 1908", "Student", 1908, "The probable error of a mean", "Biometrika", "6(1), 1-25"
    ),
    Reference(
        "Wilcoxon1945",
        "Wilcoxon 1945",
        "Wilcoxon, F.",
        1945,
        "Individual comparisons by ranking methods",
        "Biometrics Bulletin",
        "1(6), 80-83",
    ),
    Reference(
        "DixonMood1946",
        "Dixon and Mood 1946",
        "Dixon, W. J. and Mood, A. M.",
        1946,
        "The statistical sign test",
        "Journal of the American Statistical Association",
        "41(236), 557-566",
    ),
    Reference(
        "SmuckerEtAl2007",
        "Smucker, Allan and Carterette 2007",
        "Smucker, M. D., Allan, J. and Carterette, B.",
        2007,
        "A comparison of statistical significance tests for information retrieval evaluation",
        "Proceedings of CIKM 2007",
        "623-632",
        "inproceedings",
    ),
    Reference(
        "Sakai2006",
        "Sakai 2006",
        "Sakai, T.",
        2006,
        "Evaluating evaluation metrics based on the bootstrap",
        "Proceedings of SIGIR 2006",
        "525-532",
        "inproceedings",
    ),
    Reference(
        "Dunn1961",
        "Dunn 1961",
        "Dunn, O. J.",
        1961,
        "Multiple comparisons among means",
        "Journal of the American Statistical Association",
        "56(293), 52-64",
    ),
    Reference(
        "Holm1979",
        "Holm 1979",
        "Holm, S.",
        1979,
        "A simple sequentially rejective multiple test procedure",
        "Scandinavian Journal of Statistics",
        "6(2), 65-70",
    ),
    Reference(
        "BenjaminiHochberg1995",
        "Benjamini and Hochberg 1995",
        "Benjamini, Y. and Hochberg, Y.",
        1995,
        "Controlling the false discovery rate: a practical and powerful approach to multiple testing",
        "Journal of the Royal Statistical Society B",
        "57(1), 289-300",
    ),
    Reference(
        "BenjaminiYekutieli2001",
        "Benjamini and Yekutieli 2001",
        "Benjamini, Y. and Yekutieli, D.",
        2001,
        "The control of the false discovery rate in multiple testing under dependency",
        "Annals of Statistics",
        "29(4), 1165-1188",
    ),
    Reference(
        "Kendall1945",
        "Kendall 1945",
        "Kendall, M. G.",
        1945,
        "The treatment of ties in ranking problems",
        "Biometrika",
        "33(3), 239-251",
    ),
)

REFERENCES: dict[str, Reference] = {work.cited: work for work in _WORKS}
"""Every work by the way it is cited: authors and year."""
