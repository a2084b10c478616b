import type { Advice } from '../../../core/base/advice.ts'
import { html, type Html } from './html.ts'

/** The path of the style of these pages. */
export const stylePath = '/oauth/style.css'

/** A whole page around `content`; it loads its style and nothing else. */
export function layout(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
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

/** A link that leads on from a page. */
export interface Way {
  readonly href: string
  readonly text: Advice
}

export function wayOn({ href, text }: Way): Html {
  return html`<p><a class="button" href="${href}">${text}</a></p>`
}

/** A fault in a person's input, read out by screen readers at once. */
export function complaint(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="complaint" role="alert">${message}</p>`
}
