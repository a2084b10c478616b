import type { Advice } from '../../../core/base/advice.ts'
import { html, type Html } from './html.ts'

/** Where the style of these pages is. */
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

/** Where a page leads on to. */
export interface Way {
  readonly href: string
  readonly text: Advice
}

export function wayOn({ href, text }: Way): Html {
  return html`<p><a class="button" href="${href}">${text}</a></p>`
}

/** What went wrong with what a person typed, read out by screen readers at once. */
export function complaint(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="complaint" role="alert">${message}</p>`
}
