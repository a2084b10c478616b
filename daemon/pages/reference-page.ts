import type { FastifyPluginAsync } from 'fastify'
import { resource } from '../http/route.ts'
import { findAssets } from './assets.ts'
import { policyOf, setPageHeaders } from './page-headers.ts'
import type { PageSettings } from '../config/page-settings.ts'

/** `/docs`: the API document as a reference to read, made by a program that only this page loads. */
export function referencePage(settings: PageSettings): FastifyPluginAsync {
  // The library has policies for the HTML that it has sanitised.
  const policy = policyOf(settings.issuer?.name, 'default dompurify')
  return async (app) => {
    resource(app, '/docs', {
      GET: {
        operation: 'none',
        handler: async (_request, reply) => {
          const { script, styles } = await findAssets('reference')
          const [style = ''] = styles.slice(-1)
          setPageHeaders(reply, settings).header('content-security-policy', policy)
          return reply.send(page(script, style))
        },
      },
    })
  }
}

function page(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API reference · deposit</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="${style}" />
    <script type="module" src="${script}"></script>
  </head>
  <body>
    <main id="reference">
      <p>The interface is described in <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
    </main>
  </body>
</html>
`
}
