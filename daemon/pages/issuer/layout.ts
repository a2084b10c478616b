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
        <title>${title} · deposit</title>
        <link rel="stylesheet" href="${stylePath}" />
      </head>
      <body>
        <main>
          <p class="brand">deposit</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.text
}

/** What went wrong with what a person typed, read out by screen readers at once. */
export function complaint(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="complaint" role="alert">${message}</p>`
}
