/** Texts of what one can do with a deposit, in German. */
export const actions = {
  'record.edit': 'Diesen Eintrag bearbeiten',
  'actions.working': 'In Arbeit…',
  'actions.away':
    'Der Dienst ist nicht erreichbar. Diese Seite wartet auf ihn und zeigt dann, ob es getan ist.',
  'actions.notDone':
    'Der Dienst wurde unterbrochen, bevor er es getan hat. Nichts ist verändert; versuchen Sie es noch einmal.',
  'actions.label': 'Was Sie tun können',
  'actions.noScope': 'Ihre Anmeldung erlaubt das nicht.',
  'actions.sealed':
    'Der Eintrag ist endgültig gesperrt und lässt sich nicht bearbeiten. Öffnen Sie für Änderungen eine neue Version.',
  'actions.registered': 'Der Eintrag ist bereits gesperrt.',
  'action.publish': 'Veröffentlichen…',
  'action.publishAgain': 'Änderungen veröffentlichen…',
  'action.reserve': 'DOI reservieren',
  'action.edit': 'Bearbeiten',
  'action.newversion': 'Neue Version',
  'action.register': 'Endgültig sperren…',
  'action.discard': 'Änderungen verwerfen…',
  'action.delete': 'Entwurf löschen…',
  'action.withdraw': 'Zurückziehen…',
  'action.restore-record': 'Eintrag wiederherstellen…',
  'confirm.publish': 'Veröffentlichen',
  'confirm.reserve': 'DOI reservieren',
  'confirm.edit': 'Bearbeiten',
  'confirm.newversion': 'Neue Version',
  'confirm.register': 'Endgültig sperren',
  'confirm.discard': 'Änderungen verwerfen',
  'confirm.delete': 'Entwurf löschen',
  'confirm.withdraw': 'Zurückziehen',
  'confirm.restore-record': 'Eintrag wiederherstellen',
  'does.publish':
    'Macht aus dem Entwurf einen öffentlichen Eintrag. Fehlende Felder werden zuerst gezeigt.',
  'does.publishAgain': 'Macht Ihre Änderungen öffentlich. Der Eintrag behält seine Adresse.',
  'does.reserve':
    'Zeigt die DOI, die der Eintrag haben wird, damit Sie sie in Ihre Dateien schreiben können.',
  'does.edit':
    'Öffnet die Beschreibung für Änderungen; der Eintrag bleibt, wie er ist, bis Sie erneut veröffentlichen.',
  'does.newversion':
    'Öffnet einen neuen Entwurf mit dieser Beschreibung und diesen Dateien; beide Einträge verweisen aufeinander.',
  'does.register': 'Schließt den Eintrag für jede weitere Änderung.',
  'does.discard': 'Kehrt zur veröffentlichten Fassung zurück.',
  'does.delete': 'Löscht den Entwurf und seine Dateien.',
  'does.withdraw':
    'Entzieht den Eintrag und seine Dateien der Öffentlichkeit. Seine Adresse sagt dann, warum.',
  'does.restore-record': 'Lässt wieder alle den Eintrag und seine Dateien lesen.',
  'ask.publish': 'Diese Ablage veröffentlichen?',
  'ask.reserve': 'Eine DOI reservieren?',
  'ask.edit': 'Den Eintrag bearbeiten?',
  'ask.newversion': 'Eine neue Version?',
  'ask.register': 'Den Eintrag endgültig sperren?',
  'ask.discard': 'Ihre Änderungen verwerfen?',
  'ask.delete': 'Diesen Entwurf löschen?',
  'ask.withdraw': 'Den Eintrag zurückziehen?',
  'ask.restore-record': 'Den Eintrag wiederherstellen?',
  'explain.publish':
    'Der Eintrag und seine Dateien werden öffentlich, unter einer Adresse, die sich zitieren lässt. Die Beschreibung lässt sich später bearbeiten; die Dateien ändern sich nur in einer neuen Version.',
  'explain.reserve': '',
  'explain.edit': '',
  'explain.newversion': '',
  'explain.register':
    'Danach kann niemand den Eintrag bearbeiten, auch nicht die Verwaltung des Dienstes. Seine DOI funktioniert weiter. Es lässt sich nicht rückgängig machen.',
  'explain.discard':
    'Alle Änderungen seit der letzten Veröffentlichung gehen verloren. Das lässt sich nicht rückgängig machen.',
  'explain.delete':
    'Der Entwurf und alle seine Dateien werden gelöscht. Die Kennung wird nie wieder verwendet. Das lässt sich nicht rückgängig machen.',
  'explain.withdraw':
    'Den Eintrag und seine Dateien kann dann nur noch lesen, wer ihn oder den Dienst verwaltet. Seine Adresse sagt, wie er zitiert wurde, wann er zurückgezogen wurde und warum.',
  'explain.restore-record':
    'Alle können ihn sofort wieder lesen und herunterladen, und Suchen finden ihn. Wurde er wegen personenbezogener Daten oder der Rechte anderer zurückgezogen, prüfen Sie zuerst, dass diese nicht mehr darin sind.',
  'withdraw.needsReason': 'Wählen Sie einen Grund.',
  'withdraw.note': 'Bemerkung, die alle lesen können (freiwillig)',
  'withdraw.replacedBy':
    'Ersetzt durch: ein Eintrag dieses Dienstes, eine DOI oder eine Webadresse (freiwillig)',
  'withdraw.destroy':
    'Auch die Dateien endgültig löschen: Dann kann niemand den Eintrag wiederherstellen, und auch Ihnen gehen die Dateien verloren.',
  'withdraw.confirmDestroy': 'Zurückziehen und Dateien löschen',
  'done.publish': 'Veröffentlicht.',
  'done.reserve': 'Reserviert. Die DOI führt zum Eintrag, sobald Sie veröffentlichen.',
  'done.edit': 'Sie können den Eintrag jetzt bearbeiten.',
  'done.newversion': 'Ein neuer Entwurf ist geöffnet.',
  'done.register': 'Der Eintrag ist endgültig gesperrt.',
  'done.discard': 'Ihre Änderungen sind verworfen.',
  'done.withdraw': 'Der Eintrag ist zurückgezogen.',
  'done.restore-record': 'Alle können den Eintrag wieder lesen.',
  'ask.publishAgain': 'Ihre Änderungen veröffentlichen?',
  'explain.publishAgain':
    'Der Eintrag behält seine Adresse und seine Dateien. Seine Beschreibung wird, was Sie hier sehen; die vorige bleibt unter ihrem Datum für alle lesbar.',
  'publish.explainClosed':
    'Der Eintrag wird unter einer Adresse öffentlich, die zitiert werden kann; seine Dateien bleiben geschlossen. Die Beschreibung kann später bearbeitet werden; die Dateien können nur in einer neuen Version geändert werden.',
  'publish.explainUntil':
    'Der Eintrag wird unter einer Adresse öffentlich, die zitiert werden kann; seine Dateien bleiben bis zum {day} geschlossen. Die Beschreibung kann später bearbeitet werden; die Dateien können nur in einer neuen Version geändert werden.',
  'publish.own': '{value}, für diesen Eintrag reserviert',
  'publish.before': '{day}. Eine neue Version beginnt mit dem Datum der vorigen.',
  'publish.today': 'Auf heute setzen',
  'publish.becomes': 'Was öffentlich wird',
  'publish.title': 'Titel',
  'publish.access': 'Wer die Dateien lesen kann',
  'publish.public': 'Alle',
  'publish.noFiles': 'Keine Dateien',
  'publish.noLicense': 'Keine angegeben',
  'publish.elsewhere': '{doi}, die es anderswo schon gibt; dieser Eintrag bekommt keine eigene.',
  'publish.preview': 'Der Eintrag, wie er zu lesen sein wird',
  'published.title': 'Veröffentlicht',
  'published.view': 'Eintrag ansehen',
  'published.cite': 'So wird er zitiert',
  'published.next':
    'Zitieren Sie ihn mit seiner Adresse. Mit „Bearbeiten“ berichtigen Sie die Beschreibung, mit „Neue Version“ ändern Sie die Dateien.',
  'published.nextDoi':
    'Zitieren Sie ihn mit seiner DOI. Mit „Bearbeiten“ berichtigen Sie die Beschreibung, mit „Neue Version“ ändern Sie die Dateien.',
  'publish.unsaved': 'Nicht veröffentlicht: Einige Änderungen sind noch nicht gespeichert.',
  'publish.closed':
    'Der Entwurf wurde inzwischen eingereicht oder veröffentlicht, oder seine Änderungen wurden verworfen.',
  'publish.changed':
    'Der Entwurf wurde inzwischen geändert. Sehen Sie ihn noch einmal an: So ist er jetzt.',
  'publish.warnings': 'Sie können jetzt veröffentlichen. Vorher empfohlen:',
  'publish.afterWithdrawn':
    'Die Version vor dieser wurde am {day} zurückgezogen. Grund: {reason}. Veröffentlichen Sie diese nur, wenn sie nicht mehr enthält, weswegen jene zurückgezogen wurde.',
  'publish.seeWithdrawn': 'Angaben zum Zurückziehen',
  'pid.reserved': '(reserviert: führt zum Eintrag, sobald Sie veröffentlichen)',
  'pid.pending': '(wird bei DataCite registriert)',
  'pid.refused': '(nicht registriert: DataCite lehnt sie ab)',
  'pid.hidden': '(nicht in Suchen, weil der Eintrag zurückgezogen ist)',
  'pid.late.pending': '(Ihre letzte Änderung ist auf dem Weg zu DataCite)',
  'pid.late.refused': '(DataCite lehnt Ihre letzte Änderung ab)',
  'where.withdrawn': 'Dieser Eintrag ist zurückgezogen: Nur wer ihn verwaltet, kann ihn lesen.',
  'where.destroyed': 'Dieser Eintrag ist zurückgezogen, und seine Dateien sind endgültig gelöscht.',
  'where.record': 'Veröffentlicht als',
  'where.corrected.published':
    'Der Eintrag wurde später berichtigt. Diese Seite zeigt den Text, den Sie zuletzt veröffentlicht haben. Mit „Bearbeiten“ übernehmen Sie die Berichtigung.',
  'where.corrected.draft':
    'Der Eintrag wurde berichtigt, nachdem Sie mit dem Bearbeiten begonnen haben. Beim Veröffentlichen wird beides zusammengeführt.',
  'where.previous': 'Vorige Version',

  'conflict.saved': 'Jemand anderes hat Änderungen gespeichert',
  'conflict.savedExplain':
    'Sie beide haben diese Felder geändert. Wählen Sie, welche Fassung bleibt. Alle anderen Änderungen sind schon zusammengeführt.',
  'conflict.published': 'Der Eintrag wurde geändert',
  'conflict.publishedTitle': 'Beide Fassungen nebeneinander',
  'conflict.publishedExplain':
    'Der Eintrag wurde geändert, nachdem Sie mit dem Bearbeiten begonnen haben. Wählen Sie für jedes Feld, welche Fassung bleibt. Nichts wird veröffentlicht, bevor Sie bestätigen.',
  'conflict.mine': 'Ihre',
  'conflict.theirs': 'Die andere',
  'conflict.allMine': 'Überall Ihre Fassung',
  'conflict.allTheirs': 'Überall die andere Fassung',
  'conflict.before': 'Vor den Änderungen',
  'conflict.nothing': '(nichts)',
  'conflict.settle': 'Diese Fassungen verwenden',
}
