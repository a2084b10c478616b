import type { Phrases } from '../phrases.ts'

/** What the service refuses, warns of and finds wrong, in German. */
export const problemPhrases: Phrases = {
  // Faults of a document.
  '{label} is missing. Write: {example}': '„{label}“ fehlt. Schreiben Sie: {example}',
  '{label} is missing.': '„{label}“ fehlt.',
  '{label} must not be empty.': '„{label}“ darf nicht leer sein.',
  '{label} must be {form} or {other}. Write: {example}':
    '„{label}“ muss {form} oder {other} sein. Schreiben Sie: {example}',
  '{label} must be {form}. Write: {example}':
    '„{label}“ muss {form} sein. Schreiben Sie: {example}',
  '{label} must be {form} or {other}.': '„{label}“ muss {form} oder {other} sein.',
  '{label} must be one of {values}.': '„{label}“ muss einer dieser Werte sein: {values}.',
  '{label} must be {form}.': '„{label}“ muss {form} sein.',
  'until is {day}, which is past: the files would be public at once. To keep them closed, write a day to come, or leave until out. If they are open, write access: {files: public}':
    '„Bis“ ist {day}, und dieser Tag ist vorbei: Die Dateien wären sofort öffentlich. Sollen sie geschlossen bleiben, wählen Sie einen künftigen Tag oder lassen das Feld leer; sind sie offen, wählen Sie bei „Dateien“ „public“.',
  'until is {day}, which is today: the files would be public at once. To keep them closed, write a day to come, or leave until out. If they are open, write access: {files: public}':
    '„Bis“ ist {day}, also heute: Die Dateien wären sofort öffentlich. Sollen sie geschlossen bleiben, wählen Sie einen künftigen Tag oder lassen das Feld leer; sind sie offen, wählen Sie bei „Dateien“ „public“.',
  'a list': 'eine Liste',
  'true or false': 'true oder false',
  'a whole number': 'eine ganze Zahl',
  'a number': 'eine Zahl',
  'an object': 'ein Objekt',
  text: 'ein Text',
  'a date such as 2026-11-20': 'ein Datum wie 2026-11-20',
  'a date such as 2026-11-20, 2026-11 or 2026': 'ein Datum wie 2026-11-20, 2026-11 oder 2026',
  'a date, or two with a slash between, such as 2025-04-01/2025-06-30':
    'ein Datum, oder zwei mit einem Schrägstrich dazwischen, wie 2025-04-01/2025-06-30',
  'a time such as 2026-11-20T12:00:00Z': 'ein Zeitpunkt wie 2026-11-20T12:00:00Z',
  'an e-mail address': 'eine E-Mail-Adresse',
  'a language tag such as en or pt-BR': 'ein Sprachcode wie en oder pt-BR',
  'one of DataCite’s relation types, such as IsSupplementTo':
    'eine der Arten von Beziehungen von DataCite, wie IsSupplementTo',
  'an absolute URI': 'eine vollständige URI',
  '{label} must match the pattern {pattern}, such as {example}.':
    '„{label}“ muss die Form {pattern} haben, wie {example}.',
  '{label} must match the pattern {pattern}.': '„{label}“ muss die Form {pattern} haben.',
  '{label} cannot be {value}; did you mean "{near}"?':
    '„{label}“ kann nicht {value} sein; meinten Sie „{near}“?',
  '{label} is not a field of this schema.': '„{label}“ ist kein Feld dieses Schemas.',
  '{label} has none of the forms that the schema allows.':
    '„{label}“ hat keine der Formen, die das Schema erlaubt.',
  'That is not a valid ORCID iD; check the last digit.':
    'Das ist keine gültige ORCID iD; prüfen Sie die letzte Ziffer.',
  'Write the DOI alone: {doi}': 'Schreiben Sie nur die DOI: {doi}',
  'String does not match pattern.': 'Der Text hat nicht die verlangte Form.',
  'String is too short.': 'Der Text ist zu kurz.',
  'String is too long.': 'Der Text ist zu lang.',
  'Instance does not match any of {values}.': 'Das ist keiner der erlaubten Werte: {values}.',
  'The metadata name the DOI {doi}, and a record has one DOI. Remove it from this field; the DOI of an article or another work belongs in the related works.':
    'Die Metadaten nennen die DOI {doi}, und ein Eintrag hat nur eine DOI. Entfernen Sie sie aus diesem Feld; die DOI eines Artikels oder anderen Werks gehört zu den verwandten Werken.',
  'This record has the DOI {doi}, and a record has one DOI. Remove it from this field; the DOI of an article or another work belongs in the related works.':
    'Dieser Eintrag hat die DOI {doi}, und ein Eintrag hat nur eine DOI. Leeren Sie dieses Feld; die DOI eines Artikels oder anderen Werks gehört zu den verwandten Werken.',

  // Advice before publishing.
  'The fields are inside "metadata", where they have no effect, and the record would have no "{name}". Move them out of it, to the top of the document.':
    'Die Felder stehen in „metadata“, wo sie nichts bewirken, und dem Eintrag fehlte „{name}“. Schreiben Sie sie an den Anfang des Dokuments.',
  'The fields are inside "metadata", where they have no effect, and the record would have no "{name}". Move them out of it, to the top of the document; {more}':
    'Die Felder stehen in „metadata“, wo sie nichts bewirken, und dem Eintrag fehlte „{name}“. Schreiben Sie sie an den Anfang des Dokuments.',
  'The version before is also called {version}. Write the number of this one, or remove it.':
    'Die vorige Version heißt auch {version}. Schreiben Sie die Nummer dieser Version, oder lassen Sie sie weg.',
  'Add keywords: they help search engines find the record.':
    'Fügen Sie Schlagwörter hinzu: Daran finden Suchmaschinen den Eintrag.',
  'A record should have the field "{name}".': 'Ein Eintrag sollte das Feld „{name}“ haben.',
  'The description has {count} character; Google Dataset Search takes {least} to {most}.':
    'Die Beschreibung hat {count} Zeichen; Google Dataset Search nimmt {least} bis {most}.',
  'The description has {count} characters; Google Dataset Search takes {least} to {most}.':
    'Die Beschreibung hat {count} Zeichen; Google Dataset Search nimmt {least} bis {most}.',
  '"{name}" is not a field of the schema; it is kept as it is.':
    '„{name}“ ist kein Feld des Schemas; es wird aufbewahrt, wie es ist.',
  '"{name}" is not a field of the schema; did you mean "{near}"?':
    '„{name}“ ist kein Feld des Schemas; meinten Sie „{near}“?',
  '"{license}" is not an SPDX identifier, such as "CC-BY-4.0".':
    '„{license}“ ist keine SPDX-Kennung wie „CC-BY-4.0“.',
  '"{license}" is not an SPDX identifier; did you mean "{near}"?':
    '„{license}“ ist keine SPDX-Kennung; meinten Sie „{near}“?',
  '"{tag}" is not the code of a language, such as "en" or "de".':
    '„{tag}“ ist kein Sprachcode wie „en“ oder „de“.',
  '"{tag}" is not the code of a language; did you mean "{near}"?':
    '„{tag}“ ist kein Sprachcode; meinten Sie „{near}“?',

  // Refusals.
  'The request is malformed.': 'Die Anfrage ist fehlerhaft.',
  'The document does not follow its schema.': 'Die Metadaten folgen nicht ihrem Schema.',
  'The schema is not one of this service.': 'Das Schema gehört nicht zu diesem Dienst.',
  'The patch could not be applied.': 'Die Änderung ließ sich nicht anwenden.',
  'A parameter of the search cannot be used.': 'Eine Angabe der Suche ist nicht möglich.',
  'Wrong file on input.': 'Die Angaben zur Datei sind falsch.',
  'Filename already exists.': 'Eine Datei dieses Namens gibt es schon.',
  'The upload ended before it was complete.': 'Der Upload endete, bevor er vollständig war.',
  'The bytes do not match the checksum given.': 'Die Bytes passen nicht zur Prüfsumme.',
  'A valid access token is needed.': 'Sie sind nicht angemeldet.',
  'You may not do this to this deposit.': 'Das dürfen Sie mit dieser Ablage nicht tun.',
  'Invalid action': 'Diese Aktion ist jetzt nicht möglich',
  'The files of this record are not public.': 'Die Dateien dieses Eintrags sind nicht öffentlich.',
  'The files of a published deposit are frozen.':
    'Die Dateien einer veröffentlichten Ablage lassen sich nicht ändern.',
  'There is nothing at this address.': 'Unter dieser Adresse ist nichts.',
  'The object does not exist or was already deleted.':
    'Die Datei gibt es nicht, oder sie wurde schon gelöscht.',
  'There is no such upload.': 'Diesen Upload gibt es nicht.',
  'The version does not exist.': 'Diese Version gibt es nicht.',
  'The record and the draft changed the same fields.':
    'Im Eintrag und im Entwurf wurden dieselben Felder geändert.',
  'A deposit has an owner: the last one cannot be removed. Add another owner first.':
    'Jemand muss die Ablage verwalten: Die letzte Person lässt sich nicht entfernen. Geben Sie zuerst jemand anderem das Recht „Verwalten“.',
  'The link has expired or was revoked, or the person who made it may not share the deposit any more. Ask the person who gave it to you for a new one.':
    'Der Link ist abgelaufen oder widerrufen, oder wer ihn angelegt hat, darf die Ablage nicht mehr teilen. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
  'The upload was not finished in time.': 'Der Upload wurde nicht rechtzeitig abgeschlossen.',
  'The deposit has changed since it was read.': 'Die Ablage wurde inzwischen geändert.',
  'The deposit has changed since it was read: its revision is now "{revision}".':
    'Die Ablage wurde inzwischen geändert: Ihre Revision ist jetzt „{revision}“.',
  'The file is larger than this service takes.': 'Die Datei ist größer, als dieser Dienst annimmt.',
  'The file is larger than the limit of {limit} bytes.':
    'Die Datei ist größer als die Grenze von {limit} Bytes.',
  'This link was opened too often from your network; try again in {seconds} s.':
    'Dieser Link wurde von Ihrem Netz aus zu oft geöffnet; versuchen Sie es in {seconds} s erneut.',
  'Too many requests.': 'Zu viele Anfragen.',
  'Something went wrong here; nothing was changed.':
    'Hier ist etwas schiefgegangen; nichts wurde geändert.',
  'The stored file is damaged; it was not sent.':
    'Die gespeicherte Datei ist beschädigt; sie wurde nicht gesendet.',
  'The store failed; it can be read, not written.':
    'Der Speicher ist gestört; er lässt sich lesen, aber nicht beschreiben.',
  'The database cannot be reached now; nothing was changed.':
    'Die Datenbank ist zurzeit nicht erreichbar; nichts wurde geändert.',
  'The files cannot be reached now; try again soon.':
    'Die Dateien sind zurzeit nicht erreichbar; versuchen Sie es bald erneut.',
  'The service is busy; try again in a moment.':
    'Der Dienst ist ausgelastet; versuchen Sie es gleich noch einmal.',
  'The service is shutting down.': 'Der Dienst wird beendet.',
  'The quota is used up.': 'Das Kontingent ist erschöpft.',
  'There is no room left on the disk.': 'Auf der Festplatte ist kein Platz mehr.',
  'The deposit already has a file named "{key}".': 'Die Ablage hat schon eine Datei „{key}“.',
  'The upload {id} of "{key}" is not finished: finish it or delete it first. If all its bytes have arrived, HEAD of its address finishes it.':
    'Der Upload von „{key}“ ist nicht abgeschlossen: Schließen Sie ihn ab, oder löschen Sie ihn zuerst.',
  'The upload {id} of "{key}" is not finished, and there is a file of that name already: delete the upload first.':
    'Der Upload von „{key}“ ist nicht abgeschlossen, und es gibt schon eine Datei dieses Namens: Löschen Sie den Upload zuerst.',
  'The draft is submitted already: it waits for review.':
    'Der Entwurf ist schon eingereicht: Er wartet auf die Prüfung.',
  'The record is locked for good already.': 'Der Eintrag ist schon endgültig gesperrt.',
  'The record was withdrawn already.': 'Der Eintrag ist schon zurückgezogen.',
  'No change of the metadata is kept: there is nothing to undo.':
    'Keine Änderung der Metadaten ist aufbewahrt: Es gibt nichts rückgängig zu machen.',
  'The metadata were not changed since the deposit was opened: there is nothing to undo. To bring back an older state, name its revision; the history lists them.':
    'Seit dem Öffnen der Ablage wurden die Metadaten nicht geändert: Es gibt nichts rückgängig zu machen. Einen älteren Stand holen Sie über den Verlauf zurück.',
  '"{text}" is no e-mail address.': '„{text}“ ist keine E-Mail-Adresse.',
  'That time is over.': 'Dieser Zeitpunkt ist vorbei.',

  // Searches.
  '{reason} (at character {position} of the query)':
    '{reason} (bei Zeichen {position} der Suchanfrage)',
  'The search query could not be understood.': 'Die Suchanfrage ist nicht zu verstehen.',
  'The query is given more than once.': 'Die Suchanfrage steht mehr als einmal da.',
  'The query ends where a term is expected.':
    'Die Suchanfrage endet, wo ein Begriff stehen müsste.',
  'A term is expected before the parenthesis.': 'Vor der Klammer müsste ein Begriff stehen.',
  'The parenthesis is not closed.': 'Die Klammer ist nicht geschlossen.',
  'This parenthesis was never opened.': 'Diese Klammer wurde nie geöffnet.',
  'The quotation mark is not closed.': 'Das Anführungszeichen ist nicht geschlossen.',
  'The name of a field comes here.': 'Hier müsste der Name eines Feldes stehen.',
  'The range has no end.': 'Der Bereich hat kein Ende.',
  'The range is not closed.': 'Der Bereich ist nicht geschlossen.',
  'A range is written [a TO b].': 'Ein Bereich wird [a TO b] geschrieben.',
  'A range needs a field before it.': 'Vor einem Bereich muss ein Feld stehen.',
  'A date or a number comes here.': 'Hier müsste ein Datum oder eine Zahl stehen.',
  'There is nothing behind the backslash.': 'Nach dem Backslash steht nichts.',
  'A phrase cannot be fuzzy; only a word can.':
    'Nur ein Wort kann ungefähr gesucht werden, eine Wortgruppe nicht.',
  'A * can only end a word; write \\* for the sign.':
    'Ein * kann nur am Ende eines Worts stehen; das Zeichen selbst schreiben Sie \\*.',
  'Only 1 or 2 can follow a ~.': 'Nach ~ kann nur 1 oder 2 stehen.',
}
