import { isScope, scopes as depositScopes } from '../../../core/contract/scopes.ts'
import type { DeviceRequest } from '../../issuer/device-requests.ts'
import { passphraseLength } from '../../identity/passphrase.ts'
import { html, type Html } from './html.ts'
import { complaint, layout } from './layout.ts'
import { openLinkScriptPath } from './open-link.ts'

/** Asks for the code that a device shows. */
export function codePage(code: string, wrong?: string): string {
  return layout(
    'Connect a device',
    html`<p>Type the code that the program shows in which you want to sign in.</p>
      ${complaint(wrong)}
      <form method="post" action="/device">
        <label for="code">Code</label>
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
        <button>Continue</button>
      </form>`,
  )
}

/** A form that is shown once more: what was wrong with it, and what need not be typed again. */
export interface Again {
  readonly wrong: string
  readonly email: string
}

/** Shows which device asks for what, and asks whose sign-in it shall be. */
export function approvePage(device: DeviceRequest, ticket: string, again?: Again): string {
  return layout(
    'Let this program sign in as you?',
    html`<p>Only go on if <strong>you</strong> started this, and the program shows this code:</p>
      <p class="code-shown">${device.userCode}</p>
      <dl>
        <dt>Program</dt>
        <dd>${device.client}</dd>
        <dt>Address</dt>
        <dd>${device.from}</dd>
        <dt>Says it is</dt>
        <dd>${device.program}</dd>
        <dt>Since</dt>
        <dd>${new Date(device.since * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC</dd>
      </dl>
      ${allowed(device.scopes)} ${complaint(again?.wrong)}
      <form method="post" action="/device/approve">
        <input type="hidden" name="user_code" value="${device.userCode}" />
        <input type="hidden" name="ticket" value="${ticket}" />
        ${signInFields(again?.email)} ${decisions()}
      </form>`,
  )
}

/** Asks who signs in to a page of this service. */
export function signInPage(page: {
  readonly action: string
  readonly client: string
  readonly scopes: readonly string[]
  readonly again?: Again
}): string {
  return layout(
    'Sign in',
    html`<p>${page.client} asks to act for you.</p>
      ${allowed(page.scopes)} ${complaint(page.again?.wrong)}
      <form method="post" action="${page.action}">
        ${signInFields(page.again?.email)} ${decisions()}
      </form>`,
  )
}

/** Where a link for a passphrase leads: its script sends what is behind the `#` at once. */
export function openLinkPage(): string {
  return layout(
    'Choose a passphrase',
    html`<form method="post" action="/oauth/passphrase">
        <label for="link">The link you were given</label>
        <input id="link" name="link" required maxlength="500" autocomplete="off" />
        <button>Continue</button>
      </form>
      <script type="module" src="${openLinkScriptPath}"></script>`,
  )
}

/** Asks for a new passphrase. */
export function passphrasePage(email: string, link: string, wrong?: string): string {
  const { min, max } = passphraseLength
  return layout(
    'Choose a passphrase',
    html`<p>You will sign in with it from now on.</p>
      ${complaint(wrong)}
      <form method="post" action="/oauth/passphrase">
        <input type="hidden" name="link" value="${link}" />
        <label for="email">E-mail address</label>
        <input id="email" type="email" value="${email}" autocomplete="username" readonly />
        <label for="passphrase">Passphrase</label>
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
        <p class="hint">At least ${min} characters; a few words in a row are good.</p>
        <button>Set the passphrase</button>
      </form>`,
  )
}

/** Says that something is done, and what comes next. */
export function donePage(title: string, message: string): string {
  return layout(title, html`<p>${message}</p>`)
}

/** Says what is wrong. */
export function errorPage(message: string, requestId?: string): string {
  const hint = requestId === undefined ? html`` : html`<p class="hint">Request ${requestId}</p>`
  return layout(
    'This did not work',
    html`<p>${message}</p>
      ${hint}`,
  )
}

function signInFields(email = ''): Html {
  return html`<label for="email">E-mail address</label>
    <input
      id="email"
      name="email"
      type="email"
      value="${email}"
      autocomplete="username"
      maxlength="320"
    />
    <label for="passphrase">Passphrase</label>
    <input
      id="passphrase"
      name="passphrase"
      type="password"
      autocomplete="current-password"
      maxlength="${passphraseLength.max}"
    />`
}

function decisions(): Html {
  return html`<button name="decision" value="approve">Approve</button>
    <button class="second" name="decision" value="deny" formnovalidate>Deny</button>`
}

function allowed(scopes: readonly string[]): Html {
  const words = scopes.filter(isScope).map((scope) => html`<li>${depositScopes[scope]}</li>`)
  const read = html`<li>Read your deposits and their files</li>`
  return html`<h2>It will be able to</h2>
    <ul>
      ${read} ${words}
    </ul>`
}
