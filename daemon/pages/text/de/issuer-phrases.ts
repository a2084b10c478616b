/** What the pages of the issuer say, in German. @see `daemon/issuer-advice.ts` */
export const issuerPhrases = {
  'Connect a device': 'Ein Gerät verbinden',
  Code: 'Code',
  Continue: 'Weiter',
  'Let this program sign in as you?': 'Darf sich dieses Programm als Sie anmelden?',
  Program: 'Programm',
  Address: 'Adresse',
  'Says it is': 'Nennt sich',
  Since: 'Seit',
  Approve: 'Zulassen',
  Deny: 'Ablehnen',
  'Sign in': 'Anmelden',
  Cancel: 'Abbrechen',
  'Sign in and allow': 'Anmelden und erlauben',
  'Sign in to {client}': 'Anmelden bei {client}',
  'Choose a passphrase': 'Eine Passphrase wählen',
  'The link you were given': 'Der Link, den Sie erhalten haben',
  'You will sign in with it from now on.': 'Damit melden Sie sich von nun an an.',
  'E-mail address': 'E-Mail-Adresse',
  Passphrase: 'Passphrase',
  'Change the passphrase': 'Passphrase ändern',
  'New passphrase': 'Neue Passphrase',
  'Set the passphrase': 'Passphrase festlegen',
  'This did not work': 'Das hat nicht geklappt',
  'Request {id}': 'Anfrage {id}',
  'It will be able to': 'Es kann dann',
  'Read your deposits and their files': 'Ihre Ablagen und deren Dateien lesen',
  'Create and change drafts, upload and delete their files':
    'Entwürfe anlegen und ändern, ihre Dateien hochladen und löschen',
  'Publish deposits, edit them again, discard changes, and give others access':
    'Ablagen veröffentlichen, wieder bearbeiten, Änderungen verwerfen und anderen Zugang geben',
  'Stay signed in until you end it, for 90 days at most':
    'Angemeldet bleiben, bis Sie es beenden, höchstens 90 Tage',
  'Know your e-mail address': 'Ihre E-Mail-Adresse erfahren',
  'Know your name': 'Ihren Namen erfahren',
  Denied: 'Abgelehnt',
  'Signed in': 'Angemeldet',
  'The passphrase is set': 'Die Passphrase ist festgelegt',
  'The e-mail address or the passphrase is wrong.':
    'Die E-Mail-Adresse oder die Passphrase ist falsch.',
  'Type the code shown by the program you want to sign in to.':
    'Geben Sie den Code ein, den das Programm zeigt, in dem Sie sich anmelden wollen.',
  'No program waits for this code. Check it, or start the sign-in in the program again.':
    'Kein Programm wartet auf diesen Code. Prüfen Sie ihn, oder beginnen Sie die Anmeldung im Programm von vorn.',
  'Too many wrong codes were typed. Sign in together with the code to continue.':
    'Zu viele falsche Codes wurden eingegeben. Melden Sie sich zusammen mit dem Code an, um fortzufahren.',
  'Only go on if *you* started this, and the program shows this code:':
    'Fahren Sie nur fort, wenn *Sie selbst* das begonnen haben und das Programm diesen Code zeigt:',
  'Go back to the program; you can close this page.':
    'Kehren Sie zum Programm zurück; Sie können diese Seite schließen.',
  'The program was not signed in. Close this page.':
    'Das Programm wurde nicht angemeldet. Schließen Sie diese Seite.',
  'No passphrase, or forgotten? Ask the operator of this service for a link.':
    'Keine Passphrase, oder vergessen? Bitten Sie den Betreiber dieses Dienstes um einen Link.',
  'On your own machine you need no passphrase: run `deposit open ID` in a terminal, with an id that `deposit list` shows. The browser then arrives signed in.':
    'Auf Ihrem eigenen Rechner brauchen Sie keine Passphrase: Rufen Sie in einem Terminal `deposit open ID` auf, mit einer Kennung, die `deposit list` zeigt. Der Browser kommt dann angemeldet an.',
  'At least {min} characters; a few words in a row are good.':
    'Mindestens {min} Zeichen; gut sind einige Wörter hintereinander.',
  'A passphrase has {min} to {max} characters.': 'Eine Passphrase hat {min} bis {max} Zeichen.',
  'You can sign in with it now. Wherever you were signed in before, you no longer are. Access tokens that you made stay good: revoke those that you do not know in "Your account".':
    'Sie können sich jetzt damit anmelden. Wo Sie vorher angemeldet waren, sind Sie es nicht mehr. Zugangstoken, die Sie angelegt haben, gelten weiter: Widerrufen Sie in „Ihr Konto“ die, die Sie nicht kennen.',
  'This link has already been used. Sign in with the passphrase that you set, or ask the operator of this service for another link.':
    'Dieser Link wurde schon benutzt. Melden Sie sich mit der Passphrase an, die Sie festgelegt haben, oder bitten Sie den Betreiber dieses Dienstes um einen neuen Link.',
  'This link is not known: a newer one may have replaced it. Use the newest link that you were given, or ask the operator of this service for another one.':
    'Dieser Link ist nicht bekannt: Vielleicht hat ein neuerer ihn ersetzt. Benutzen Sie den neuesten Link, den Sie erhalten haben, oder bitten Sie den Betreiber dieses Dienstes um einen neuen.',
  'This link expired on {day}: it was good for 7 days. Ask the operator of this service for another one.':
    'Dieser Link ist am {day} abgelaufen: Er galt 7 Tage. Bitten Sie den Betreiber dieses Dienstes um einen neuen.',
  'This page has expired; begin again.': 'Diese Seite ist abgelaufen; beginnen Sie von vorn.',
  'Too many attempts; try again in {minutes} min.':
    'Zu viele Versuche; versuchen Sie es in {minutes} min erneut.',
  'Type the code': 'Code eingeben',
} as const
