"""
Names that stand where a capital proves nothing: at the beginning of a sentence, and anywhere in German.

Given names that many people have are in a list; of English, a vocabulary of tokens shows which other words are names.
An honest sentence has none that its sources do not have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.text.names import name_key, opening_names
from consolidation.text.sentences import sentences
from consolidation.text.tokens import count_tokens
from consolidation.text.word_names import is_a_word, is_written_as_name
from consolidation.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"(?<![\w'’-])[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_]))+")
_FORMED = re.compile(r"(?:ed|ings?|tions?|ments?|ness|ity|ly)$")  # "Reindexed", "Deduplication": names end so rarely
_SHORTEST_PART = 3  # letters of a word that others are made of
# In small letters words of another language: "mi padre es franco".
_WORDS_ELSEWHERE = frozenset("franco bianca bruno vera regina ida nina toni leon marco ella rosa luz paz sol".split())
# Of those that are ordinary words as well (``word_names``), a capital must not come of the place.
_GIVEN = frozenset(
    """
    aaron abdul abdullah abigail achim ada adam adela adelaide adele adrian adriana adrien agata agatha agnes
    agnieszka ahmed aisha alan alba albert alberto alec alejandra alejandro aleksandra alessandra alessandro alex
    alexander alexandra alexandre alfie alfred alfredo ali alice alicia alina alison allan alma alvaro amanda amelia
    amelie amina amir amy amélie ana anastasia anatole andrea andreas andrei andrew andrzej andré andy angela angelika
    angelina angelo angus anita anja anke ann anna annabel anne annette annie annika anouk anselm anthony antje
    antoine anton antonia antonio antónio anya arianna arjun armin arne arnold arthur arturo astrid audrey aurélie
    ayse ayşe barbara barry bart bartosz beata beate beatrice beatrix beatriz becky ben benedikt benjamin benoît
    bernadette bernard bernd bernhard bernie bert berta bertha beth bettina betty bianca birgit birgitta björn bob
    bobby boris brandon brenda brian bridget brigitte britta bruce bruno bryan caitlin camila camille carl carla carlo
    carlos carlotta carmen carol carola caroline carsten catalina catherine cathy cecilia cedric celine cesar chantal
    charles charlie charlotte chiara chloe chloé chris christa christian christiane christina christine christoph
    christophe christopher claas claire clara clarissa claude claudia claudine claudio claus clive colette colin
    connor conrad constantin cora corinna corinne cornelia cristina cynthia cyril cécile célia céline dagmar damian
    damien dana daniel daniela daniele danielle danny daphne dario darren dave david davide debbie deborah declan
    denise dennis derek detlef dexter diana diane diego dieter dietmar dimitri dirk dmitri dominik dominique donald
    donna dora doreen doris dorothea dorothy doug douglas duncan dylan eberhard eckhard edgar edith edmund eduard
    eduardo edward edwin ekaterina elaine eleanor elena eleonora elias elijah elisa elisabeth elise eliza elizabeth
    elke ella ellen elodie elsa elvira emanuel emil emile emilia emiliano emilie emily emma emmanuel enrico enrique
    enzo eric erica erich erik erika erin ernestine ernesto erwin estelle esther ethan eugen eugene eva evelyn ewa
    fabian fabio fabrizio fatima federica federico felicitas felipe felix ferdinand fernanda fernando filip filippo
    finn fiona florian francesca francesco francine francis francisco franco frank franz franziska françois françoise
    fred freddie frederick frederik friederike friedrich fritz frédéric gabriel gabriela gabriele gabrielle gareth
    gary gavin geoff geoffrey georg george georges georgia gerald geraldine gerard gerd gerda gerhard gert gertrud
    gertruda gertrude gertrudis giacomo gianni gilbert giorgia giorgio giovanna giovanni gisela gitta giulia giuliano
    giulio giuseppe gonzalo gordon graham greg gregor gregory greta gretchen grzegorz guido guillaume guillermo gustav
    gwen gérard günter günther hamza hanna hannah hannelore hannes hans harald harold harriet harry hartmut hassan
    hedwig heidi heike heiko heiner heinrich heinz helen helena helene helga helmut hendrik henri henriette henrik
    henry herbert herman hermann hilda hilde hildegard holger horst howard hubert hugh hugo humphrey hélène ian
    ibrahim ida ignacio igor ilona ilse imogen imran ines inga inge ingeborg ingo ingrid inés irena irene irina iris
    irma isaac isabel isabella isabelle isla ismail ivan ivana ivonne jacek jack jackie jacob jacqueline jacques jaime
    jake jakob jakub james jamie jana jane janet janice janina janine jarek jasmin jason javier jean jeanette jeanne
    jeff jeffrey jelena jenna jennifer jenny jens jeremy jerome jerry jesse jessica jill jim jimmy joachim joan joana
    joanna joanne jochen joe joel johan johann johanna johannes john johnny jolanda jon jonas jonathan jordi jorge
    josef josefine joseph josephine josh joshua josé joséphine joyce joão juan juana juanita judith judy julia julian
    juliana julie julien juliet juliette julio justin justine jutta jérôme jörg jürgen karen karim karin karina karl
    karla karol karolina karoline karsten kasia katarina katarzyna kate katharina katherine kathleen kathrin kathy
    katie katja katrin kay keith kelly ken kenneth kerstin kevin khalid kim kira kirsten kirsty klara klaus konrad
    konstantin kristin kristina krystyna krzysztof kurt kyle larry lars laura lauren laurence laurent laurie leah
    leandro leila lena leni lennart leon leonard leonardo leonie leonora leopold lesley leslie leticia lewis liam
    lidia liesel lilian liliana lilli lilly lina linda lisa lisbeth lise lorena lorenz lorenzo lothar lotte lottie lou
    louis louisa louise lubomir luc luca lucas lucia lucian luciano lucie lucien lucinda lucy lucía ludmila ludwig
    luigi luis luisa luise lukas luke lutz lydia lynn léa léon maciej madeleine magda magdalena maggie maja malcolm
    manfred manon manuel manuela marc marcel marcella marcello marcin marco marcos marcus marek margaret margarete
    margarita margherita margot marguerite maria mariam marian mariana marianne marie mariella mario marion marisa
    marius marjorie marlene marlies marta martha martin martina marvin mary mateo mateusz mathias mathieu mathilde
    matilda matt matteo matthew matthias matthieu maud maureen maurice mauricio max maxim maxime maximilian maya
    małgorzata megan mehmet melanie melissa mercedes meredith micha michael michal michał michel michela michele
    michelle miguel mikael mike mikhail milan milena miriam mohamed mohammed moira monica monika monique moritz
    muhammad murat muriel mustafa mélanie nadia nadine nadja nancy naomi nastasia natalia natalie natascha natasha
    nathalie nathan neil nele nelly nicholas nick nicola nicolas nicole nigel nikita nikolai nikolaus nils nina noah
    noel noelle nora norbert norman noémie odette olaf oleg olena olga oli oliver olivia olivier omar oscar oskar
    osman otto pablo paola paolo pascal patricia patrick patrizia patty paul paula paulina pauline paulo pavel pedro
    peggy penelope petra phil philip philipp philippe phoebe phyllis pierre pietro piotr poppy priya rachel rafael
    rafał rahel rainer raj ralf ralph ramon ramona raphael raymond raúl rebecca regina reinhard reinhold renata renate
    renaud rené renée ricarda ricardo riccardo richard rita robert roberta roberto robin rodrigo roger roland rolf
    ronald ronja ronnie rosalie rosalind rosemarie rosie ross roy rudi rudolf rupert russell ruth ryan rüdiger sabine
    sabrina sally salvatore sam samantha samir samuel sandra sandrine santiago sara sarah saskia scott sebastian selim
    selina selma serena sergei sergio seth shane shannon sharon sheila shirley sibylle siegfried sigrid silke silvana
    silvia silvio simon simona simone sofia sofie sofía solveig sonia sonja sophia sophie stacy stan stanislav stefan
    stefanie stefano steffen stella stephan stephane stephanie stephen steve steven stuart stéphane stéphanie sue
    susan susana susann susanna susanne suzanne suzie sven svenja svetlana sylvia sylvie sylwia sébastien tamara tania
    tanja tanya tara tatiana ted terence teresa theo theodor theodora theresa therese thiago thierry thilo thomas
    thorsten théo thérèse tiago tilman tim timo timothy tina tobias toby todd tom tomas tomasz tommy tomás toni tony
    torben torsten tracey trevor tristan trude ulf ulla ulrich ulrike umberto ursel ursula uschi uta ute uwe valentin
    valentina valeria valérie vanessa vera verena veronica veronika vicky victor victoria viktor viktoria vincent
    vincenzo virginia virginie viviane vladimir volker véronique wade walter waltraud waltraut wanda wendy werner
    wiebke wilfried wilhelm will willi william winifred winston wojciech wolfgang xavier yannick yasmin yolanda yuri
    yusuf yves yvette yvonne zoe zofia zoé zuzana álvaro élodie émile étienne łukasz
    """.split()
)


def unproven_names(text: str, *, language: str) -> tuple[str, ...]:
    """The words of *text* that are names though no capital shows it, in their order."""
    return tuple(dict.fromkeys(_unproven(text, language)))


def _unproven(text: str, language: str) -> Iterator[str]:
    is_noun_written_so = language.startswith("de")
    for sentence in sentences(text, language=language):
        found = [one[0] for one in _WORD.finditer(sentence)]
        for word in found if is_noun_written_so else found[:1]:
            name = _given(word)
            if not name or not content_words(name, language=language):
                continue
            if not is_a_word(name_key(name)) or is_written_as_name(sentence, name_key(name)):
                yield name
        if language.startswith("en"):
            opening = [re.sub(r"['’]s$", "", one) for one in sorted(opening_names(sentence, language=language))]
            yield from (name for name in opening if not is_ordinary(name, language=language))


def _given(word: str) -> str:
    """The same of a *word* with a capital; "" of any other."""
    return _in_list(word) if word[0].isupper() else ""


def _in_list(word: str) -> str:
    """The given name that *word* is, with "s" or "'s" behind it at most; "" where it is none."""
    for one in (word, re.sub(r"['’]?s?$", "", word), re.split(r"['’-]", word, maxsplit=1)[0]):
        if one.casefold() in _GIVEN:
            return one
    return ""


def small_names(text: str) -> tuple[str, ...]:
    """The given names that *text* has in small letters, as people type in a chat, without ordinary words."""
    found = (one[0] for one in _WORD.finditer(text) if one[0].islower() and one[0] not in _WORDS_ELSEWHERE)
    names = (name for word in found if (name := _in_list(word)) and not is_a_word(name_key(name)))
    return tuple(dict.fromkeys(names))


def with_capitals(text: str) -> str:
    """*text* with a capital on each of its ``small_names``: "my sister Steph"."""
    names = small_names(text)
    if not names:
        return text
    any_name = "|".join(map(re.escape, names))
    return re.sub(rf"(?<![\w'’-])(?:{any_name})(?=['’]?s?(?!\w))", lambda one: one[0].title(), text)


def is_ordinary(word: str, *, language: str) -> bool:
    """
    Whether a word is not a name, as far as a vocabulary of tokens shows: it has names that are frequent with a capital.

    Of English it also has most words whole, or both words that one is made of ("healthcheck").
    """
    if not word[1:].islower():  # "CSVs"
        return True
    word = word.lower()
    small = count_tokens(f" {word}")
    if small == 1:
        return True
    if count_tokens(f" {word.capitalize()}") < small:
        return False
    if not language.startswith("en") or _FORMED.search(word):
        return True
    parts = ((word[:at], word[at:]) for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1))
    return any(all(count_tokens(f" {one}") == 1 for one in pair) for pair in parts)
