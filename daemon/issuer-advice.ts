import { adviceTable } from '../core/base/advice.ts'

/**
 * The texts of the issuer's pages that tell a person what to do next: between backticks commands,
 * between asterisks what is stressed. Each is followed by `test/pages/issuer-advice.test.ts`, which
 * does not compile while one of them has no row there.
 */
export const advice = adviceTable({
  // A program signs in.
  typeCode: () => 'Type the code shown by the program you want to sign in to.',
  checkCode: () =>
    'No program waits for this code. Check it, or start the sign-in in the program again.',
  signInWithCode: () =>
    'Too many wrong codes were typed. Sign in together with the code to continue.',
  compareCode: () => 'Only go on if *you* started this, and the program shows this code:',
  goBack: () => 'Go back to the program; you can close this page.',
  closePage: () => 'The program was not signed in. Close this page.',

  // A person signs in, and has a passphrase for it.
  askForLink: () => 'No passphrase, or forgotten? Ask the operator of this service for a link.',
  openFromTerminal: () =>
    'On your own machine you need no passphrase: run `deposit open ID` in a terminal, with an id ' +
    'that `deposit list` shows. The browser then arrives signed in.',
  chooseWords: (min: number) => `At least ${min} characters; a few words in a row are good.`,
  keepLength: (min: number, max: number) => `A passphrase has ${min} to ${max} characters.`,
  signInNow: () =>
    'You can sign in with it now. Wherever you were signed in before, you no longer are. Access tokens ' +
    'that you made stay good: revoke those that you do not know in "Your account".',
  useOtherLink: () =>
    'This link has already been used. Sign in with the passphrase that you set, or ask the operator ' +
    'of this service for another link.',
  useNewestLink: () =>
    'This link is not known: a newer one may have replaced it. Use the newest link that you were ' +
    'given, or ask the operator of this service for another one.',
  renewLink: (day: string) =>
    `This link expired on ${day}: it was good for 7 days. Ask the operator of this service for another one.`,

  // Either did not work, and where a link leads on.
  beginAgain: () => 'This page has expired; begin again.',
  tryLater: (minutes: number) => `Too many attempts; try again in ${minutes} min.`,
  toCode: () => 'Type the code',
  toSignIn: () => 'Sign in',
})
