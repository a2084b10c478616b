declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  /** @see https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/ */
  export default function SwaggerUI(options: Readonly<Record<string, unknown>>): unknown
}
