/** Texts of the page of one's own account. */
export const account = {
  'title.account': 'Your account',
  'account.title': 'Your account',
  'account.who': 'Who you are here',
  'account.email': 'E-mail address',
  'account.noEmail': 'None',
  'account.roles': 'Roles',
  'account.room': 'Storage',
  'account.used': '{used} of {quota} used',
  'account.passphrase':
    'To change your e-mail address or your passphrase, ask the operator of this service.',
  'account.tokens': 'Access tokens',
  'account.tokensExplain':
    'Programs act as you with a token, such as the command line or an instrument. Revoke those that you do not know.',
  'account.noTokens': 'There are no tokens.',
  'account.mayRead': 'can read',
  'account.mayChange': 'can read and change',
  'account.made': 'made on {day}',
  'account.until': 'good until {day}',
  'account.noEnd': 'does not expire',
  'account.revoke': 'Revoke',
  'account.revoked': 'The token {name} is revoked.',
  'account.tokenName': 'Name of the program',
  'account.unnamed': 'unnamed',
  'account.allowChange': 'It may also change and publish deposits',
  'account.makeToken': 'Make a token',
  'account.copyToken': 'Copy the token now: it is shown only this once. It is good for a year.',
} as const
