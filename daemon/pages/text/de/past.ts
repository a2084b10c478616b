import type { advice as adviceInEnglish } from '../advice.ts'
import type { past as pastInEnglish } from '../past.ts'

/** The texts of `past.ts` in German. */
export const past: Readonly<Record<keyof typeof pastInEnglish, string>> = {
  'history.title': 'Verlauf',
  'history.explain':
    'Jede gespeicherte Änderung der Metadaten. Auch das Rückgängigmachen ist eine Änderung und lässt sich rückgängig machen.',
  'history.list': 'Änderungen, die neuesten zuerst',
  'history.none': 'Noch gibt es keine Änderungen.',
  'history.loading': 'Wird geladen…',
  'history.older': 'Ältere Änderungen zeigen',
  'history.when': '{time} UTC, von {name}',
  'history.you': 'Ihnen',
  'history.operator': 'dem Betreiber dieses Dienstes',
  'history.somebody': 'einer anderen Person',
  'history.added': 'Hinzugefügt: {fields}',
  'history.removed': 'Entfernt: {fields}',
  'history.changed': 'Geändert: {fields}',
  'history.did.undo': 'Änderung rückgängig gemacht',
  'history.did.edit': 'Eintrag zum Bearbeiten geöffnet',
  'history.did.discard': 'Änderungen verworfen',
  'history.did.merge': 'Mit dem Eintrag zusammengeführt',
  'history.did.publish': 'Veröffentlicht',
  'history.did.accept': 'Angenommen und veröffentlicht',
  'history.details': 'Änderung zeigen',
  'history.before': 'Vorher',
  'history.after': 'Nachher',
  'history.undo': 'Diese Änderung rückgängig machen',
  'history.back': 'Zurück zum Stand vor dieser Änderung',
  'history.unsaved': 'Nicht rückgängig gemacht: Einige Änderungen sind noch nicht gespeichert.',
  'history.undone': 'Die Änderung ist rückgängig gemacht.',
  'history.wentBack': 'Die Metadaten sind wieder wie vor dieser Änderung.',
  'history.back.undone': 'Die Metadaten sind wieder wie vorher.',
  'history.kind': 'Art des Eintrags',
  'trash.title.one': 'Gelöschte Dateien ({count})',
  'trash.title.other': 'Gelöschte Dateien ({count})',
  'trash.explain':
    'Sie werden bis zum angegebenen Tag aufbewahrt, und kürzer, wenn der Platz knapp wird. Sie zählen zu Ihrem Kontingent.',
  'trash.list': 'Gelöschte Dateien',
  'trash.more.one': 'Mehr zeigen ({count} Datei)',
  'trash.more.other': 'Mehr zeigen ({count} Dateien)',
  'trash.facts': '{size}, gelöscht am {day}',
  'trash.until': 'aufbewahrt bis zum {day}',
  'trash.restore': 'Zurückholen',
  'trash.restored': '{name} ist wieder da.',
  'trash.taken': 'Es gibt inzwischen eine andere Datei {name}',
  'trash.takenToo': 'Auch eine Datei {name} gibt es schon: Wählen Sie einen anderen Namen.',
  'trash.explainTaken':
    'Sie wurde hinzugefügt, nachdem die andere gelöscht war. Holen Sie die gelöschte Datei unter einem anderen Namen zurück, oder brechen Sie ab und benennen Sie zuerst die neue um.',
  'trash.newName': 'Name der gelöschten Datei',
  'trash.remove': 'Endgültig löschen',
  'trash.removed': '{name} ist endgültig gelöscht.',
  'trash.empty': 'Alle endgültig löschen…',
  'trash.emptied': 'Die gelöschten Dateien sind endgültig fort.',
  'trash.askRemove': '{name} endgültig löschen?',
  'trash.askEmpty': 'Diese Dateien endgültig löschen?',
  'trash.explainRemove':
    'Sie lässt sich dann nicht zurückholen. Das lässt sich nicht rückgängig machen.',
  'trash.explainEmpty':
    'Sie lassen sich dann nicht zurückholen. Das lässt sich nicht rückgängig machen.',
  'trash.confirmEmpty': 'Alle endgültig löschen',
}

/** The texts of `advice.ts` in German. */
export const advice: Readonly<Record<keyof typeof adviceInEnglish, string>> = {
  'signIn.kept':
    'Ihre Änderungen sind in diesem Browser aufbewahrt. Melden Sie sich wieder an, um fortzufahren.',
  'signIn.local':
    'Wenn Sie diesen Dienst selbst gestartet haben, brauchen Sie keine Passphrase: Rufen Sie in einem Terminal „deposit open {id}“ auf.',
  'signIn.localList':
    'Wenn Sie diesen Dienst selbst gestartet haben, brauchen Sie keine Passphrase: Rufen Sie in einem Terminal „deposit open“ auf.',
  'list.nothingHint':
    'Versuchen Sie es mit weniger Wörtern, oder suchen Sie in allen Ablagen statt nur in denen mit einem Status.',
  'form.otherHint':
    'Dieses Formular kann diese Felder nicht ändern. Ändern Sie sie mit „deposit patch“.',
  'import.unknown':
    'In diesem Text sind keine Metadaten zu finden. Wählen Sie eine andere Datei, oder fügen Sie den ganzen Text ein.',
  'import.tooLarge':
    'Die Datei ist größer als {most}. Wählen Sie die Datei, die nur die Metadaten enthält.',
  'save.copyAdvice':
    'Ihre Änderungen sind in diesem Browser aufbewahrt. Kopieren Sie sie in einen neuen Entwurf.',
  'upload.chooseAgain':
    'Wählen Sie dieselbe Datei, um den Rest hochzuladen, oder löschen Sie den Upload. Eine geänderte Datei wird von vorn hochgeladen.',
  'upload.stream':
    'Ein anderes Programm lädt diese Datei hoch. Beenden Sie den Upload dort, oder löschen Sie ihn.',
  'upload.part':
    'Ein anderes Programm lädt einen Teil einer Datei hoch. Beenden Sie den Upload dort, oder löschen Sie ihn.',
  'upload.otherFile':
    '{name} hat {size}, der Upload begann aber mit {wanted}. Wählen Sie dieselbe Datei, oder löschen Sie den Upload.',
  'upload.beside':
    'Ein anderer Upload von {name} ist nicht abgeschlossen. Löschen Sie ihn in der Liste, wenn kein Programm ihn sendet.',
  'upload.unfinished':
    'ist noch nicht hochgeladen: Warten Sie, wählen Sie die Datei in ihrer Zeile, oder löschen Sie den Upload.',
}
