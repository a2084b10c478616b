import type { Advice } from '../../../core/base/advice.ts'
import { isScope, scopes as depositScopes } from '../../../core/contract/scopes.ts'
import type { DeviceRequest } from '../issuer/device-requests.ts'
import { isOidcScope, oidcScopes } from '../issuer/scopes.ts'
import { passphraseLength } from '../identity/passphrase.ts'
import { advice } from '../../issuer-advice.ts'
import { translated } from '../../pages/text/text.ts'
import { html, marked } from './html.ts'
import type { Html } from './html.ts'
import { complaint, layout, say, wayOn } from './layout.ts'
import type { Way } from './layout.ts'

/** A form that is shown again, with its fault and the values that need not be typed again. */
export interface Again {
  readonly wrong: string
  readonly email: string
}

/** Asks for the code that a device shows. @param asksWho whether a person has to sign in with it */
export function codePage(code: string, again?: Again, asksWho = again?.email !== ''): string {
  return layout(
    say('Connect a device'),
    html`<p>${marked(advice.typeCode())}</p>
      ${complaint(again?.wrong)}
      <form method="post" action="/device">
        <label for="code">${say('Code')}</label>
        <input
          class="code"
          id="code"
          name="user_code"
          value="${code}"
          required
          maxlength="16"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          autofocus
        />
        ${again && asksWho ? signInFields(again.email) : undefined}
        <button>${say('Continue')}</button>
      </form>`,
  )
}

/** Shows which device asks for what, and asks whose sign-in it shall be. */
export function approvePage(device: DeviceRequest, ticket: string, again?: Again): string {
  return layout(
    say('Let this program sign in as you?'),
    html`<p>${marked(advice.compareCode())}</p>
      <p class="code-shown">${device.userCode}</p>
      <dl>
        <dt>${say('Program')}</dt>
        <dd>${device.client}</dd>
        <dt>${say('Address')}</dt>
        <dd>${device.from}</dd>
        <dt>${say('Says it is')}</dt>
        <dd>${device.program}</dd>
        <dt>${say('Since')}</dt>
        <dd>${new Date(device.since * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC</dd>
      </dl>
      ${allowed(device.scopes)} ${complaint(again?.wrong)}
      <form method="post" action="/device/approve">
        <input type="hidden" name="user_code" value="${device.userCode}" />
        <input type="hidden" name="ticket" value="${ticket}" />
        ${signInFields(again?.email)} ${decisions(say('Approve'), say('Deny'))}
      </form>`,
  )
}

/** Asks who signs in: to our own pages, or to a program of others. */
export function signInPage(page: {
  readonly action: string
  /** Undefined for our own pages. */
  readonly client: string | undefined
  readonly scopes: readonly string[]
  /** Whether only people on this machine reach the service: then its owner is among them. */
  readonly isLocal: boolean
  readonly again?: Again
}): string {
  const { action, client, scopes, isLocal, again } = page
  const form = html`${complaint(again?.wrong)}
    <form method="post" action="${action}">
      ${signInFields(again?.email, true)}
      ${
        client === undefined
          ? decisions(say('Sign in'), say('Cancel'))
          : decisions(say('Sign in and allow'), say('Deny'))
      }
    </form>
    <p class="hint">${marked(advice.askForLink())}</p>`
  if (client !== undefined)
    return layout(say('Sign in to {client}', { client }), html`${allowed(scopes)} ${form}`)
  return layout(say('Sign in'), html`${isLocal ? ownMachine() : undefined} ${form}`)
}

/** The page of a link for a passphrase: its script sends the part behind the `#` at once. */
export function openLinkPage(): string {
  return layout(
    say('Choose a passphrase'),
    html`<form method="post" action="/oauth/passphrase">
        <label for="link">${say('The link you were given')}</label>
        <input id="link" name="link" required maxlength="500" autocomplete="off" />
        <button>${say('Continue')}</button>
      </form>
      <script type="module" src="${openLinkScriptPath}"></script>`,
  )
}

function ownMachine(): Html {
  return html`<p class="hint">${marked(advice.openFromTerminal())}</p>`
}

/** Asks for a new passphrase. */
export function passphrasePage(email: string, link: string, wrong?: string): string {
  const { min, max } = passphraseLength
  return layout(
    say('Choose a passphrase'),
    html`<p>${say('You will sign in with it from now on.')}</p>
      ${complaint(wrong)}
      <form method="post" action="/oauth/passphrase">
        <input type="hidden" name="link" value="${link}" />
        <label for="email">${say('E-mail address')}</label>
        <input id="email" type="email" value="${email}" autocomplete="username" readonly />
        <label for="passphrase">${say('Passphrase')}</label>
        <input
          id="passphrase"
          name="passphrase"
          type="password"
          required
          minlength="${min}"
          maxlength="${max}"
          autocomplete="new-password"
          autofocus
        />
        <p class="hint">${marked(advice.chooseWords(min))}</p>
        <button>${say('Set the passphrase')}</button>
      </form>`,
  )
}

/** Asks for the passphrase that somebody has, and for a new one. */
export function changePassphrasePage(again?: Again): string {
  const { min, max } = passphraseLength
  return layout(
    say('Change the passphrase'),
    html`${complaint(again?.wrong)}
      <form method="post" action="/oauth/passphrase/change">
        ${signInFields(again?.email, true)}
        <label for="new-passphrase">${say('New passphrase')}</label>
        <input
          id="new-passphrase"
          name="new_passphrase"
          type="password"
          required
          minlength="${min}"
          maxlength="${max}"
          autocomplete="new-password"
        />
        <p class="hint">${marked(advice.chooseWords(min))}</p>
        <button>${say('Change the passphrase')}</button>
      </form>
      <p class="hint">${marked(advice.askForLink())}</p>`,
  )
}

/** Says that something is done, and what comes next. */
export function donePage(
  title: 'Denied' | 'Signed in' | 'The passphrase is set',
  message: Advice,
  way?: Way,
): string {
  return layout(
    say(title),
    html`<p>${marked(message)}</p>
      ${way && wayOn(way)}`,
  )
}

/** Says what is wrong, and where to go from here. */
export function errorPage(message: string, way: Way, requestId?: string): string {
  const hint =
    requestId === undefined
      ? html``
      : html`<p class="hint">${say('Request {id}', { id: requestId })}</p>`
  return layout(
    say('This did not work'),
    html`<p>${translated(message)}</p>
      ${wayOn(way)} ${hint}`,
  )
}

/** @param takesFocus whether nothing stands above the fields that is to be read first */
function signInFields(email = '', takesFocus = false): Html {
  const focus = takesFocus ? html`autofocus` : undefined
  return html`<label for="email">${say('E-mail address')}</label>
    <input
      id="email"
      name="email"
      type="email"
      value="${email}"
      autocomplete="username"
      maxlength="320"
      ${email === '' ? focus : undefined}
    />
    <label for="passphrase">${say('Passphrase')}</label>
    <input
      id="passphrase"
      name="passphrase"
      type="password"
      autocomplete="current-password"
      maxlength="${passphraseLength.max}"
      ${email === '' ? undefined : focus}
    />`
}

function decisions(yes: string, no: string): Html {
  return html`<button name="decision" value="approve">${yes}</button>
    <button class="second" name="decision" value="deny" formnovalidate>${no}</button>`
}

function allowed(scopes: readonly string[]): Html {
  const words = scopes
    .map((scope) => (isScope(scope) ? depositScopes[scope] : wordsOfSignIn(scope)))
    .flatMap((text) => (text === undefined ? [] : [html`<li>${translated(text)}</li>`]))
  const read = html`<li>${say('Read your deposits and their files')}</li>`
  return html`<h2>${say('It will be able to')}</h2>
    <ul>
      ${read} ${words}
    </ul>`
}

function wordsOfSignIn(scope: string): string | undefined {
  return isOidcScope(scope) ? oidcScopes[scope] : undefined
}

/** The path of the script of the page that a link for a passphrase opens. */
export const openLinkScriptPath = '/oauth/open-link.js'

/** Sends what stands behind the `#` as a form, and takes it out of the history. */
export const openLinkScript = `
const secret = location.hash.slice(1)
const form = document.forms[0]
if (secret && form) {
  history.replaceState(null, '', location.pathname)
  form.elements.namedItem('link').value = secret
  form.requestSubmit()
}
`
