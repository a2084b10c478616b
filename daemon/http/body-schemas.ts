import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchema, FastifySchemaCompiler, FastifyServerOptions } from 'fastify'

type Compilers = NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']

/** Compiles a schema when the first body comes: all of them at the start took a tenth of it. */
const checkLater: FastifySchemaCompiler<FastifySchema> = ({ schema }) => {
  let validate: ValidateFunction | undefined
  const check: ReturnType<typeof checkLater> = (body) => {
    validate ??= compiler().compile(schema)
    const isValid = validate(body)
    check.errors = validate.errors ?? null
    return isValid
  }
  return check
}

/**
 * Checks bodies without changing them. Of answers the framework knows no schemas: it must neither
 * leave out nor change fields. The framework's types are those of its own compilers, which it loads
 * where none are given.
 */
export const compilersFactory = {
  buildValidator: () => checkLater,
  buildSerializer: () => () => JSON.stringify,
} as unknown as NonNullable<Compilers>

let made: Ajv | undefined

function compiler(): Ajv {
  made ??= formats.default(new Ajv({ addUsedSchema: false }))
  return made
}
