import type { Advice } from '../../../core/base/advice.ts'
import type { issuerPhrases } from '../../pages/text/de/issuer-phrases.ts'
import { language, translated } from '../../pages/text/text.ts'
import { html, type Html } from './html.ts'

/** The path of the style of these pages. */
export const stylePath = '/oauth/style.css'

/** A whole page around `content`; it loads its style and nothing else. */
export function layout(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="${language()}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Deposit</title>
        <link rel="stylesheet" href="${stylePath}" />
      </head>
      <body>
        <main>
          <p class="brand"><span class="brand-mark" aria-hidden="true"></span>Deposit</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.text
}

/**
 * A text of these pages in the language of the reader, with its `{places}` filled in. One that has no
 * German does not compile.
 */
export function say(
  phrase: keyof typeof issuerPhrases,
  values: Readonly<Record<string, string>> = {},
): string {
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, () => value),
    translated(phrase),
  )
}

/** A link that leads on from a page. */
export interface Way {
  readonly href: string
  readonly text: Advice
}

export function wayOn({ href, text }: Way): Html {
  return html`<p><a class="button" href="${href}">${translated(text)}</a></p>`
}

/** A fault in a person's input, read out by screen readers at once. */
export function complaint(message: string | undefined): Html {
  return message === undefined
    ? html``
    : html`<p class="complaint" role="alert">${translated(message)}</p>`
}
