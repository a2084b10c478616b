import type { Phrases } from '../phrases.ts'

/** Labels and hints of the package's own schemas, in German. */
export const schemaPhrases: Phrases = {
  Record: 'Eintrag',
  Deposit: 'Ablage',
  'Data set': 'Datensatz',
  'Data set in preparation': 'Datensatz in Vorbereitung',
  'A record of any kind. Nothing is required.': 'Ein Eintrag beliebiger Art. Nichts ist Pflicht.',
  'A record of any kind in preparation. Nothing is required.':
    'Ein Eintrag beliebiger Art, in Vorbereitung. Nichts ist Pflicht.',
  'A data set that can be cited: what DataCite demands, and what its reader needs.':
    'Ein Datensatz, der sich zitieren lässt: mit dem, was DataCite verlangt und wer ihn liest braucht.',
  'A data set in preparation; what it must say is checked when it is published.':
    'Ein Datensatz in Vorbereitung; was er angeben muss, wird beim Veröffentlichen geprüft.',
  Title: 'Titel',
  'The name by which the record is known and cited.':
    'Der Name, unter dem der Eintrag bekannt ist und zitiert wird.',
  Creators: 'Urheber',
  'Who made it, in the order in which they are cited.':
    'Wer das Werk geschaffen hat, in der Reihenfolge, in der zitiert wird.',
  Contributors: 'Mitwirkende',
  'Who helped and is not cited as a creator: curators, editors, funders, laboratories.':
    'Wer geholfen hat und nicht als Urheber zitiert wird: etwa Kuration, Redaktion, Förderer, Labore.',
  Description: 'Beschreibung',
  'What it is, how it came about, and what one needs to know to use it.':
    'Was es ist, wie es entstand und was man wissen muss, um es zu nutzen.',
  Methods: 'Methoden',
  'How it was made: collected, measured, computed.':
    'Wie es entstand: gesammelt, gemessen, berechnet.',
  'Publication date': 'Tag der Veröffentlichung',
  'When it was or will be made public: YYYY, YYYY-MM or YYYY-MM-DD.':
    'Wann es öffentlich wurde oder wird: JJJJ, JJJJ-MM oder JJJJ-MM-TT.',
  Publisher: 'Herausgeber',
  'Who publishes it, where that is not this service: a name, or a name with its ROR identifier.':
    'Wer es herausgibt, wenn es nicht dieser Dienst ist: ein Name, oder ein Name mit seiner ROR-Kennung.',
  Name: 'Name',
  'ROR identifier': 'ROR-Kennung',
  'Resource type': 'Art der Ressource',
  'What kind of thing it is.': 'Was für eine Sache es ist.',
  License: 'Lizenz',
  'What others may do with it: the SPDX identifier of a license.':
    'Was andere damit tun dürfen: die SPDX-Kennung einer Lizenz.',
  'Access to the files': 'Zugang zu den Dateien',
  'Who may have the files. Metadata are always public; files are, unless they are restricted here.':
    'Wer die Dateien haben darf. Metadaten sind immer öffentlich; Dateien auch, wenn der Zugang hier nicht beschränkt wird.',
  Files: 'Dateien',
  'Restricted files are for you and those you share the deposit with.':
    'Beschränkt zugängliche Dateien sind für Sie und alle, mit denen Sie die Ablage teilen.',
  Until: 'Bis',
  'The day on which restricted files become public, at 00:00 UTC: YYYY-MM-DD. Without it they stay restricted.':
    'Der Tag, an dem die Dateien öffentlich werden, um 00:00 UTC: JJJJ-MM-TT. Ohne ihn bleibt der Zugang beschränkt.',
  Reason: 'Grund',
  'Why the files are restricted, or how to get them; it is shown to everybody.':
    'Warum der Zugang beschränkt ist oder wie man die Dateien bekommt; alle können es lesen.',
  'A patent is pending.': 'Ein Patent ist angemeldet.',
  Keywords: 'Schlagwörter',
  'Words that others would search for.': 'Wörter, nach denen andere suchen würden.',
  Keyword: 'Schlagwort',
  Subjects: 'Fachgebiete',
  'Terms of a classification: the term alone, or with the scheme it is taken from.':
    'Begriffe einer Klassifikation: der Begriff allein, oder mit dem Schema, aus dem er stammt.',
  Subject: 'Fachgebiet',
  Term: 'Begriff',
  Scheme: 'Schema',
  'Identifier of the term': 'Kennung des Begriffs',
  'Related works': 'Verwandte Werke',
  'Articles, data sets and other things that this one refers to or belongs to.':
    'Artikel, Datensätze und anderes, worauf dieses Werk verweist oder wozu es gehört.',
  References: 'Literatur',
  'Works that it refers to, as they would be cited.':
    'Werke, auf die es sich bezieht, wie man sie zitieren würde.',
  Reference: 'Literaturangabe',
  'Other identifiers': 'Andere Kennungen',
  'Identifiers of the same thing elsewhere.': 'Kennungen derselben Sache an anderer Stelle.',
  Identifier: 'Kennung',
  'What kind of identifier it is.': 'Was für eine Kennung es ist.',
  DOI: 'DOI',
  'The DOI that it has already, elsewhere. Those of this service are not written by hand.':
    'Die DOI, die es anderswo schon hat. DOIs dieses Dienstes werden nicht von Hand geschrieben.',
  Funding: 'Förderung',
  'Who paid for the work.': 'Wer die Arbeit bezahlt hat.',
  Grant: 'Fördermittel',
  Funder: 'Förderer',
  'Name or ROR identifier of the organisation.': 'Name oder ROR-Kennung der Organisation.',
  Award: 'Förderkennzeichen',
  'Number of the grant.': 'Nummer der Bewilligung.',
  'Identifier of the funder': 'Kennung des Förderers',
  'ROR identifier or DOI of the funder.': 'ROR-Kennung oder DOI des Förderers.',
  'Title of the award': 'Titel des Vorhabens',
  'Address of the award': 'Adresse des Vorhabens',
  Version: 'Version',
  'The version of the work, such as 1.0.0.': 'Die Version des Werks, etwa 1.0.0.',
  Language: 'Sprache',
  'Main language of the content, as a BCP 47 tag.':
    'Hauptsprache des Inhalts, als Sprachcode nach BCP 47.',
  Dates: 'Datumsangaben',
  'Further dates of its life: a date, or a period with a slash between its ends.':
    'Weitere Tage aus seiner Geschichte: ein Datum, oder ein Zeitraum mit einem Schrägstrich zwischen Anfang und Ende.',
  Locations: 'Orte',
  'Places that it is about, or where it was collected.':
    'Orte, um die es geht oder an denen gesammelt wurde.',
  Location: 'Ort',
  Place: 'Ortsname',
  Point: 'Punkt',
  Latitude: 'Breite',
  Longitude: 'Länge',
  Box: 'Rechteck',
  West: 'Westen',
  East: 'Osten',
  South: 'Süden',
  North: 'Norden',
  Notes: 'Bemerkungen',
  'Anything that no other field covers.': 'Alles, wofür es kein anderes Feld gibt.',
  'Person or organisation': 'Person oder Organisation',
  'In full: "Family, Given" for a person.': 'Vollständig: bei Personen „Nachname, Vorname“.',
  'Given name': 'Vorname',
  'Family name': 'Nachname',
  'ORCID iD': 'ORCID iD',
  'Sixteen digits in four groups, with or without https://orcid.org/.':
    'Sechzehn Ziffern in vier Gruppen, mit oder ohne https://orcid.org/.',
  Affiliation: 'Zugehörigkeit',
  'Where the person works.': 'Wo die Person arbeitet.',
  Organisation: 'Organisation',
  Contributor: 'Mitwirkende Person oder Organisation',
  Role: 'Rolle',
  "How they took part: DataCite's contributor types (4.7). Without one it is Other.":
    'Wie sie mitgewirkt haben: die Arten der Mitwirkung von DataCite (4.7). Ohne Angabe gilt „Anderes“.',
  'Related identifier': 'Verwandtes Werk',
  'DOI, URL, arXiv number or the like of the other thing.':
    'DOI, URL, arXiv-Nummer oder Ähnliches des anderen Werks.',
  Relation: 'Beziehung',
  "How this record relates to the other thing: DataCite's relation types (4.7).":
    'Wie sich dieser Eintrag zum anderen Werk verhält: die Arten der Beziehung von DataCite (4.7).',
  'What kind of thing the other one is.': 'Was für eine Sache das andere Werk ist.',
  Date: 'Datum',
  'Kind of date': 'Art des Datums',
  "DataCite's date types (4.7).": 'Die Arten von Daten von DataCite (4.7).',
}
