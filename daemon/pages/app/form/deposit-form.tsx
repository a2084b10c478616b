import Form from '@rjsf/core'
import type {
  RegistryFieldsType,
  RegistryWidgetsType,
  RJSFSchema,
  TemplatesType,
  UiSchema,
  ValidatorType,
} from '@rjsf/utils'
import { useMemo } from 'preact/hooks'
import type { Fault } from '../api/http.ts'
import type { JsonObject } from '../api/json.ts'
import { ArrayItemTemplate, ArrayTemplate } from './array-template.tsx'
import { Choice, TextArea, TextInput } from './widgets.tsx'
import { toErrorSchema } from './faults.ts'
import { FieldTemplate } from './field-template.tsx'
import type { FormContext } from './field-template.tsx'
import { Keywords } from './keywords.tsx'
import { withOneName } from './one-name.ts'
import { splitDocument } from './form-schema.ts'
import type { FormSchema } from './form-schema.ts'
import { ObjectTemplate } from './object-template.tsx'
import { Validator } from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'
import { text } from '../../text/text.ts'

const Nothing = () => null

const templates: Partial<TemplatesType> = {
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ArrayItemTemplate,
  BaseInputTemplate: TextInput,
  FieldErrorTemplate: Nothing,
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
}

/** Fields that a layout names by `ui:field`. */
const fields: RegistryFieldsType = { keywords: Keywords }

const widgets: RegistryWidgetsType = { SelectWidget: Choice, TextareaWidget: TextArea }

interface DepositFormProps {
  readonly form: FormSchema
  readonly layout: JsonObject
  readonly document: JsonObject
  readonly faults: readonly Fault[]
  readonly onChange: (document: JsonObject) => void
  readonly addMe?: (() => void) | undefined
}

/** The form that a deposit's schema makes. Fields unknown to the schema are shown and kept. */
export function DepositForm(props: DepositFormProps) {
  const { form, layout, document, faults, onChange, addMe } = props
  const { shown, other } = splitDocument(form.schema, document)
  const errors = useMemo(() => toErrorSchema(faults), [faults])
  const context: FormContext = { recommended: form.recommended, addMe }
  return (
    <>
      <Form
        schema={form.schema}
        uiSchema={layout as UiSchema}
        formData={shown}
        formContext={context}
        validator={formValidator}
        templates={templates}
        widgets={widgets}
        fields={fields}
        extraErrors={errors}
        idPrefix="metadata"
        noHtml5Validate
        showErrorList={false}
        experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipEmptyDefaults' }}
        onChange={({ formData }) =>
          onChange({ ...other, ...withOneName(shown, formData as JsonObject) })
        }
      >
        <></>
      </Form>
      <OtherFields fields={other} />
    </>
  )
}

/**
 * Tells the form which of several schemas a value follows. Faults are found
 * elsewhere and given to the form.
 */
const formValidator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  isValid: (schema: RJSFSchema, value: unknown, root: RJSFSchema) => {
    const whole = { ...schema, definitions: root.definitions ?? {} }
    return new Validator(whole as Schema, '7').validate(value).valid
  },
}

/** Fields that the schema does not know: kept as they are, changed from the command line. */
function OtherFields({ fields }: { readonly fields: JsonObject }) {
  const entries = Object.entries(fields)
  if (entries.length === 0) return null
  return (
    <details class="card form-section">
      <summary>
        <h2>{text('form.other')}</h2>
        <span class="quiet">{entries.map(([name]) => name).join(', ')}</span>
      </summary>
      <p class="hint">{text('form.otherHint')}</p>
      <pre class="other-fields">{JSON.stringify(fields, null, 2)}</pre>
    </details>
  )
}
