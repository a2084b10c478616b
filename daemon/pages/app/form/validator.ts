import { Validator, type Schema } from '@cfworker/json-schema'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'

/**
 * What the form asks while it is drawn: which of several schemas a value follows. Faults are found
 * elsewhere and given to the form.
 */
export const formValidator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  isValid: (schema: RJSFSchema, value: unknown, root: RJSFSchema) => {
    const whole = { ...schema, definitions: root.definitions ?? {} }
    return new Validator(whole as Schema, '7').validate(value).valid
  },
}
