import type { account as accountInEnglish } from '../account.ts'
import type { people as peopleInEnglish } from '../people.ts'
import type { review as reviewInEnglish } from '../review.ts'
import type { standing as standingInEnglish } from '../standing.ts'

/** The texts of `people.ts` in German. */
export const people: Readonly<Record<keyof typeof peopleInEnglish, string>> = {
  'people.title': 'Personen',
  'people.explain':
    'Mit dem Recht „Lesen“ sieht man den Entwurf und seine Dateien, mit „Bearbeiten“ ändert und veröffentlicht man sie auch, mit „Verwalten“ bestimmt man außerdem, wer Zugang hat. Den Personen wird nichts geschickt: Sagen Sie es ihnen selbst.',
  'people.list': 'Personen mit Zugang',
  'people.email': 'E-Mail-Adresse',
  'people.role': 'Recht',
  'people.add': 'Hinzufügen',
  'people.added.owner': '{email} hat jetzt das Recht „Verwalten“.',
  'people.added.editor': '{email} hat jetzt das Recht „Bearbeiten“.',
  'people.added.reader': '{email} hat jetzt das Recht „Lesen“.',
  'people.remove': 'Entfernen',
  'people.askRemove': '{email} entfernen?',
  'people.explainRemove':
    'Diese Person kann die Ablage dann nicht mehr öffnen. Sie können sie wieder hinzufügen.',
  'people.removed': '{email} hat keinen Zugang mehr.',
  'people.leave': 'Diese Ablage verlassen…',
  'people.askLeave': 'Diese Ablage verlassen?',
  'people.confirmLeave': 'Verlassen',
  'people.explainLeave':
    'Sie können sie dann nicht mehr öffnen, und sie verschwindet aus Ihrer Liste. Nur wer sie verwaltet, kann Ihnen wieder Zugang geben.',
  'people.unknown': 'Unbekannt',
  'list.shared': 'mit Ihnen geteilt ({role})',
  'role.owner': 'Verwalten',
  'role.editor': 'Bearbeiten',
  'role.reader': 'Lesen',
  'links.title': 'Links',
  'links.explain':
    'Für Personen ohne Konto, etwa Gutachter. Wer einen Link hat, kann ihn benutzen, bis er abläuft oder Sie ihn widerrufen.',
  'links.list': 'Links zu dieser Ablage',
  'links.none': 'Es gibt keine Links.',
  'links.label': 'Für wen',
  'links.expires': 'Letzter Tag',
  'links.anonymous': 'Verbergen, wer die Ablage angelegt hat',
  'links.create': 'Link anlegen',
  'links.made': 'Kopieren Sie den Link jetzt: Er wird nur dieses eine Mal gezeigt.',
  'links.address': 'Adresse des neuen Links',
  'links.facts': '{role}, gilt bis {end}',
  'links.factsAnonymous': '{role}, anonym, gilt bis {end}',
  'links.endOf': 'Ende {day} (UTC)',
  'links.at': '{time} UTC',
  'links.revoke': 'Widerrufen',
  'links.askRevoke': 'Den Link „{label}“ widerrufen?',
  'links.explainRevoke':
    'Niemand kann ihn dann mehr benutzen. Das lässt sich nicht rückgängig machen, aber Sie können einen neuen Link anlegen.',
  'links.revoked': 'Der Link ist widerrufen.',
  'links.unnamed': 'Link',
}

/** The texts of `standing.ts` in German. */
export const standing: Readonly<Record<keyof typeof standingInEnglish, string>> = {
  'standing.reader':
    'Sie können diesen Entwurf lesen und seine Dateien herunterladen. Wer ihn verwaltet, kann Ihnen erlauben, ihn zu ändern.',
  'standing.reviewer': 'Sie sehen diesen Entwurf, weil er auf die Prüfung wartet.',
  'standing.curator': 'Sie sehen diese Ablage, weil Sie Einträge kuratieren.',
  'reading.label': 'Metadaten',
  'reading.none': 'Noch ist nichts ausgefüllt.',
}

/** The texts of `review.ts` in German. */
export const review: Readonly<Record<keyof typeof reviewInEnglish, string>> = {
  'status.submitted': 'Wartet auf Prüfung',
  'status.returned': 'Zurückgegeben',
  'review.submitted':
    'Dieser Entwurf wartet auf die Prüfung. Er lässt sich erst wieder ändern, wenn er zurückgenommen wird.',
  'review.returned':
    'Dieser Entwurf wurde nach der Prüfung zurückgegeben. Ändern Sie ihn und reichen Sie ihn erneut ein.',
  'review.correct': 'Metadaten berichtigen',
  'review.correcting':
    'Ihre Änderungen werden als neue Revision des Entwurfs gespeichert; diese wird dann angenommen.',
  'review.correctingBound':
    'Ihre Änderungen werden als neue Revision des Entwurfs gespeichert. Annehmen muss sie dann jemand anderes.',
  'review.corrected': 'Berichtigung abschließen',
  'review.said': 'Nachricht: {message}',
  'review.message': 'Was geändert werden muss',
  'review.messageOptional': 'Nachricht (freiwillig)',
  'review.needsMessage': 'Schreiben Sie, was geändert werden muss.',
  'review.waiting': 'Warten auf Prüfung',
  'review.waiting.one': '{count} Entwurf wartet auf Prüfung',
  'review.waiting.other': '{count} Entwürfe warten auf Prüfung',
  'review.waitingNone': 'Kein Entwurf wartet auf Prüfung',
  'review.waitingHint':
    'Hier stehen die Entwürfe, die zur Prüfung eingereicht sind, die ältesten zuerst.',
  'review.since': 'eingereicht {age}',
  'review.all': 'Alle Ablagen',
  'comments.title': 'Prüfung und Kommentare',
  'comments.explain': 'Alle, die diesen Entwurf lesen können, können diese Kommentare lesen.',
  'comments.explainReviewers':
    'Alle, die diesen Entwurf lesen können, können diese Kommentare lesen: auch die Prüfenden, solange er wartet.',
  'comments.none': 'Es gibt keine Kommentare.',
  'comments.list': 'Kommentare, die ältesten zuerst',
  'comments.text': 'Kommentar',
  'comments.add': 'Kommentar hinzufügen',
  'comments.added': 'Der Kommentar ist hinzugefügt.',
  'comments.unknown': 'Eine Person, die kein Konto mehr hat',
  'comments.did.submit': '{name} hat den Entwurf zur Prüfung eingereicht',
  'comments.did.take-back': '{name} hat den Entwurf zurückgenommen',
  'comments.did.return': '{name} hat den Entwurf zurückgegeben',
  'comments.did.accept': '{name} hat den Entwurf angenommen und veröffentlicht',
  'actions.ownDraft': 'Einen Entwurf von Ihnen muss jemand anderes annehmen.',
  'action.submit': 'Zur Prüfung einreichen…',
  'action.take-back': 'Zurücknehmen…',
  'action.return': 'Zurückgeben…',
  'action.accept': 'Annehmen…',
  'confirm.submit': 'Zur Prüfung einreichen',
  'confirm.take-back': 'Zurücknehmen',
  'confirm.return': 'Zurückgeben',
  'confirm.accept': 'Annehmen und veröffentlichen',
  'does.submit':
    'Schickt den Entwurf zur Prüfung, nach der er veröffentlicht wird. Fehlende Felder werden zuerst gezeigt.',
  'does.take-back': 'Beendet die Prüfung, damit sich der Entwurf ändern lässt.',
  'does.return': 'Gibt den Entwurf mit einer Nachricht zurück.',
  'does.accept': 'Veröffentlicht den Entwurf so, wie ihn diese Seite zeigt.',
  'ask.submit': 'Diesen Entwurf zur Prüfung einreichen?',
  'ask.take-back': 'Den Entwurf zurücknehmen?',
  'ask.return': 'Diesen Entwurf zurückgeben?',
  'ask.accept': 'Diesen Entwurf annehmen und veröffentlichen?',
  'explain.submit':
    'Solange er auf die Prüfung wartet, lässt er sich nicht ändern. Sie können ihn zurücknehmen.',
  'explain.take-back':
    'Er wartet dann nicht mehr auf die Prüfung. Dafür müssen Sie ihn erneut einreichen.',
  'explain.return': 'Er kann dann geändert und erneut eingereicht werden.',
  'explain.accept':
    'Revision {revision}, die diese Seite zeigt, wird mit ihren Dateien öffentlich, unter einer Adresse, die sich zitieren lässt. Wurde der Entwurf seither geändert, wird nichts veröffentlicht.',
  'done.submit': 'Zur Prüfung eingereicht.',
  'done.take-back': 'Zurückgenommen. Sie können den Entwurf wieder ändern.',
  'done.return': 'Zurückgegeben.',
  'done.accept': 'Angenommen und veröffentlicht.',
  'accept.warnings': 'Bevor Sie ihn annehmen:',
  'submit.warnings': 'Sie können jetzt einreichen. Vorher empfohlen:',
  'accept.stale':
    'Der Entwurf wurde geändert, seit diese Seite ihn gezeigt hat. Hier ist der neue Text: Sehen Sie ihn an, bevor Sie ihn annehmen.',
}

/** The texts of `account.ts` in German. */
export const account: Readonly<Record<keyof typeof accountInEnglish, string>> = {
  'account.who': 'Wer Sie hier sind',
  'account.email': 'E-Mail-Adresse',
  'account.noEmail': 'Keine',
  'account.roles': 'Rollen',
  'account.room': 'Speicherplatz',
  'account.used': '{used} von {quota} belegt',
  'account.changeEmail':
    'Um Ihre E-Mail-Adresse zu ändern, wenden Sie sich an den Betreiber dieses Dienstes.',
  'account.changePassphrase': 'Passphrase ändern',
  'account.signIns': 'Wo Sie angemeldet sind',
  'account.signInsExplain':
    'Wenn ein Gerät verloren ist, melden Sie es ab, oder melden Sie sich überall ab; wenn jemand anders Ihre Passphrase kennen könnte, ändern Sie auch diese. Zugangstoken bleiben.',
  'account.program.pages': 'Ein Browser',
  'account.program.cli': 'Die Kommandozeile',
  'account.since': 'seit {day}',
  'account.here': 'hier',
  'account.signOutOne': 'Abmelden',
  'account.signedOut': '{name} ist abgemeldet.',
  'account.signOutAll': 'Überall abmelden',
  'account.tokens': 'Zugangstoken',
  'account.tokensExplain':
    'Mit einem Token handeln Programme in Ihrem Namen, etwa die Kommandozeile oder ein Messgerät. Widerrufen Sie, was Sie nicht kennen.',
  'account.noTokens': 'Es gibt keine Token.',
  'account.mayRead': 'darf lesen',
  'account.mayChange': 'darf lesen und ändern',
  'account.made': 'angelegt am {day}',
  'account.until': 'gilt bis zum {day}',
  'account.noEnd': 'läuft nicht ab',
  'account.revoke': 'Widerrufen',
  'account.revoked': 'Das Token {name} ist widerrufen.',
  'account.tokenName': 'Name des Programms',
  'account.unnamed': 'unbenannt',
  'account.allowChange': 'Es darf Ablagen auch ändern und veröffentlichen',
  'account.makeToken': 'Token anlegen',
  'account.copyToken':
    'Kopieren Sie das Token jetzt: Es wird nur dieses eine Mal gezeigt. Es gilt ein Jahr.',
}
