import SwaggerUI from 'swagger-ui-dist/swagger-ui-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'

interface TrustedTypes {
  readonly createPolicy: (name: string, rules: object) => unknown
}

/** The library sets texts of the document as HTML, after it has sanitised them. */
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createHTML: (text: string) => text })

SwaggerUI({
  url: '/openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  displayOperationId: true,
})
