import type { Translation } from '../text.ts'
import { actions } from './actions.ts'
import { admin, adminViews } from './admin.ts'
import { files } from './files.ts'
import { imports } from './imports.ts'
import { listSelection } from './list-selection.ts'
import { advice, past } from './past.ts'
import { account, people, review, standing } from './people.ts'
import { problemPhrases } from './problem-phrases.ts'
import { reading } from './reading.ts'
import { schemaPhrases } from './schema-phrases.ts'
import { termPhrases } from './term-phrases.ts'

/** The pages in German. */
const texts = {
  ...advice,
  ...reading,
  ...people,
  ...review,
  ...standing,
  ...past,
  ...account,
  ...imports,
  ...listSelection,
  ...admin,
  ...adminViews,
  ...actions,
  ...files,
  brand: 'Deposit',
  skip: 'Zum Inhalt springen',
  noscript: 'Diese Seite braucht JavaScript. Ohne JavaScript hilft die Kommandozeile: „deposit“.',
  'language.label': 'Sprache',
  'nav.label': 'Hauptmenü',
  'nav.records': 'Einträge',
  'nav.deposits': 'Ablagen',
  'nav.new': 'Neue Ablage',
  'nav.roles': 'Prüfung und Verwaltung',

  'title.index': 'Ablagen',
  'title.new': 'Neue Ablage',
  'title.edit': 'Ablage bearbeiten',
  'title.signed-in': 'Anmeldung',
  'title.account': 'Ihr Konto',
  'account.title': 'Ihr Konto',

  cancel: 'Abbrechen',
  close: 'Schließen',
  undo: 'Rückgängig',
  untitled: 'Ablage ohne Titel',
  'error.unknown': 'Der Dienst hat einen Fehler gemeldet (Status {status}).',
  'error.deposit_not_found': 'Diese Ablage gibt es nicht. Vielleicht wurde sie gelöscht.',
  'error.record_not_found': 'Diesen Eintrag gibt es nicht.',
  'error.deposit_deleted': 'Diese Ablage wurde gelöscht.',
  'error.file_already_exists': 'Eine Datei dieses Namens gibt es schon.',
  'error.permission_denied': 'Dazu sind Sie nicht berechtigt.',
  'error.signed_out': 'Sie sind abgemeldet.',
  'fault.missing.creators': 'Nennen Sie mindestens eine Urheberin oder einen Urheber.',
  'error.unreachable':
    'Der Dienst ist nicht erreichbar. Ihre Änderungen sind in diesem Browser aufbewahrt.',

  signOut: 'Abmelden',
  'signIn.title': 'Melden Sie sich an, um Ihre Ablagen zu sehen',
  'signIn.explain': 'Danach kehren Sie zu dieser Seite zurück.',
  'signIn.again': 'Ihre Anmeldung ist abgelaufen',
  'signIn.button': 'Anmelden',
  'signIn.failed': 'Die Anmeldung ist nicht gelungen: {reason}',
  'signIn.denied': 'Sie haben die Anmeldung abgebrochen. Sie sind nicht angemeldet.',
  'signIn.arriving': 'Sie werden angemeldet…',
  'signIn.retry': 'Erneut versuchen',
  'signIn.close': 'Sie sind angemeldet. Sie können dieses Fenster schließen.',

  'status.draft': 'Entwurf',
  'status.edited': 'Veröffentlicht, in Bearbeitung',
  'status.published': 'Veröffentlicht',
  'status.withdrawn': 'Zurückgezogen',

  'list.title': 'Ihre Ablagen',
  'list.found.one': '{count} Ablage',
  'list.found.other': '{count} Ablagen',
  'list.search': 'Ablagen durchsuchen',
  'list.searchHint': 'Suche, etwa temperatur oder title:küste',
  'list.record': 'Eintrag {value}',
  'list.status': 'Status',
  'list.all': 'Alle',
  'list.sort': 'Reihenfolge',
  'list.none': 'Hier ist noch nichts',
  'list.noneHint':
    'Eine Ablage ist eine Beschreibung mit ihren Dateien. Sie bleibt ein Entwurf, bis Sie sie veröffentlichen.',
  'list.nothing': 'Nichts gefunden',
  'sort.mostrecent': 'Zuletzt geänderte zuerst',
  'sort.-mostrecent': 'Älteste Änderung zuerst',
  'sort.bestmatch': 'Beste Treffer zuerst',
  'paging.label': 'Seiten',
  'paging.previous': 'Vorige',
  'paging.next': 'Nächste',
  'paging.shown': '{from}–{to} von {total}',

  'new.title': 'Neue Ablage',
  'new.explain':
    'Der Entwurf gehört Ihnen allein, bis Sie ihn veröffentlichen. Alles lässt sich später ändern.',
  'new.name': 'Titel',
  'new.kind': 'Welche Art von Eintrag wird es?',
  'new.create': 'Entwurf anlegen',
  'new.busy': 'Wird angelegt…',

  'problem.title': 'Hier ist nichts',
  'problem.failed': 'Diese Seite lässt sich nicht zeigen',
  'problem.explain': 'Vielleicht ist die Adresse falsch geschrieben, oder die Seite ist umgezogen.',
  'withdrawn.title': 'Dieser Eintrag wurde zurückgezogen',
  'withdrawn.explain': 'Seine Dateien und seine Beschreibung sind hier nicht mehr verfügbar.',
  'withdrawn.when': 'Zurückgezogen am',
  'withdrawn.who': 'Zurückgezogen durch',
  'withdrawn.why': 'Grund',
  'withdrawn.note': 'Bemerkung',
  'withdrawn.replacedBy': 'Ersetzt durch',
  'withdrawn.cited': 'So wurde er zitiert',
  'withdrawn.otherVersions': 'Andere Versionen',
  'withdrawn.by.owner': 'wer ihn veröffentlicht hat',
  'withdrawn.by.curator': 'die Kuration',
  'withdrawn.by.administrator': 'die Administration',
  'withdrawn.by.operator': 'den Betreiber dieses Dienstes',
  'withdrawn.reason.personal-data':
    'Er enthält personenbezogene Daten, die nicht öffentlich sein dürfen',
  'withdrawn.reason.copyright': 'Jemand anderes hat die Rechte daran',
  'withdrawn.reason.retracted': 'Die Urheber haben ihn zurückgenommen',
  'withdrawn.reason.duplicate': 'Er ist doppelt veröffentlicht',
  'withdrawn.reason.spam': 'Er ist Spam',
  'withdrawn.reason.test': 'Er wurde zum Ausprobieren veröffentlicht',
  'withdrawn.reason.other': 'Aus einem anderen Grund',

  'tombstone.title': 'Diese Ablage wurde gelöscht',
  'tombstone.explain':
    'Der Entwurf wurde mit seinen Dateien gelöscht. Die Kennung bleibt vergeben und wird nie wieder verwendet.',
  'tombstone.back': 'Zu Ihren Ablagen',

  'form.orcid': 'Auf orcid.org nachsehen, wer {id} ist',
  'form.required': 'Pflicht',
  'form.recommended': 'empfohlen',
  'form.example': 'z. B. {example}',
  'form.add': '{name} hinzufügen',
  'form.addMe': 'Mich hinzufügen',
  'import.open': 'Metadaten übernehmen…',
  'form.element': 'Element',
  'form.moveUp': 'Nach oben: {name} {number}',
  'form.moveDown': 'Nach unten: {name} {number}',
  'form.remove': 'Entfernen: {name} {number}',
  'form.choose': 'Wählen…',
  'form.kindOf': 'Art der Angabe: {name}',
  'form.section.about': 'Das Wichtigste',
  'form.section.more': 'Weitere Angaben',
  'form.section.connections': 'Verwandte Werke und Förderung',
  'form.terms': 'Vorschläge',
  'form.notSpdx':
    'Das ist keine SPDX-Kennung wie CC-BY-4.0. Programme erkennen die Lizenz dann nicht.',
  'form.addKeyword': 'Schlagwort hinzufügen',
  'form.removeKeyword': 'Schlagwort entfernen: {word}',
  'form.all': 'Metadaten',
  'form.rest': 'Übrige Felder',
  'form.type.string': 'Text',
  'form.type.object': 'Einzelheiten',
  'form.type.array': 'Liste',
  'form.type.number': 'Zahl',
  'form.type.boolean': 'Ja oder nein',
  'form.other': 'Andere Felder',
  'fault.format.orcid': 'Das ist keine gültige ORCID iD. Eine sieht aus wie 0000-0002-1825-0097.',
  'fault.format.partial-date': 'Schreiben Sie 2026-11-20, 2026-11 oder 2026.',
  'fault.format.date-or-period':
    'Schreiben Sie ein Datum wie 2026-11-20 oder einen Zeitraum wie 2024/2025.',
  'fault.format.language-tag': 'Das ist kein Sprachcode. Beispiele: en, de, pt-BR.',
  'fault.format.relation-type': 'Das ist keine Art der Beziehung, die DataCite kennt.',
  'fault.pastDay':
    'Dieser Tag ist vorbei: Die Dateien wären sofort öffentlich. Wählen Sie einen künftigen Tag, oder lassen Sie das Feld leer.',
  'pastDay.explain':
    'Der {day} ist gekommen. Wenn Sie jetzt veröffentlichen, kann jeder die Dateien sofort haben. Was möchten Sie?',
  'pastDay.open': 'Dateien für alle offen',
  'pastDay.other': 'Bis zu einem anderen Tag geschlossen',
  'pastDay.closed': 'Ohne Tag geschlossen',
  'fault.format.doi':
    'Eine DOI beginnt mit 10. und enthält einen Schrägstrich, wie 10.1234/example.',

  'edit.loading': 'Wird geladen…',
  'edit.kind': 'Art des Eintrags',
  'edit.kindUnsaved': 'Nicht geändert: Einige Änderungen sind noch nicht gespeichert.',
  'edit.unavailable': 'Diese Ablage lässt sich nicht zeigen',
  'save.saved': 'Gespeichert',
  'save.unsaved': 'Noch nicht gespeichert',
  'save.saving': 'Wird gespeichert…',
  'save.failed': 'Nicht gespeichert:',
  'save.conflict': 'Wartet auf Ihre Entscheidung',
  'save.conflictAbove':
    'Jemand anders hat Änderungen gespeichert: Wählen Sie oben auf der Seite. Bis dahin wird nichts von Ihnen gespeichert.',
  'save.again': 'Erneut versuchen',
  'save.retried': 'Es wird von selbst erneut versucht.',
  'save.deleted': 'Dieser Entwurf wurde gelöscht',
  'save.copy': 'In einen neuen Entwurf kopieren',
  'aside.submitted':
    'Nicht gespeichert: Der Entwurf wurde inzwischen zur Begutachtung eingereicht. Sie hatten geschrieben:',
  'aside.published':
    'Nicht gespeichert: Der Entwurf wurde inzwischen veröffentlicht. Sie hatten geschrieben:',
  'aside.discarded':
    'Nicht gespeichert: Die Änderungen des Entwurfs wurden inzwischen verworfen. Sie hatten geschrieben:',
  'aside.closed':
    'Nicht gespeichert: Sie können diesen Entwurf nicht mehr ändern. Sie hatten geschrieben:',
  'aside.foundFrom':
    'Sie haben ungespeicherte Änderungen vom {time} UTC, und der Entwurf wurde seither geändert. Sie hatten geschrieben:',
  'aside.found':
    'Sie haben ungespeicherte Änderungen, und der Entwurf wurde seither geändert. Sie hatten geschrieben:',
  'aside.take': 'Meine Änderungen behalten',
  'aside.drop': 'Verwerfen',
  'undo.do': 'Rückgängig machen',
  'undo.title': 'Die letzte gespeicherte Änderung der Metadaten rückgängig machen (Strg+Z)',
  'undo.done':
    'Die letzte Änderung ist rückgängig gemacht. Drücken Sie erneut, um weiter zurückzugehen.',
  'undo.nothing':
    'Es gibt nichts mehr rückgängig zu machen. Der „Verlauf“ unten holt zurück, was rückgängig gemacht wurde.',
  'faults.count.one': '{count} Problem ist vor dem Veröffentlichen zu lösen',
  'faults.count.other': '{count} Probleme sind vor dem Veröffentlichen zu lösen',
  'faults.whole': 'Die Metadaten als Ganzes',
} satisfies Translation['texts']

export const de: Translation = {
  texts,
  phrases: { ...problemPhrases, ...schemaPhrases },
  terms: termPhrases,
}
