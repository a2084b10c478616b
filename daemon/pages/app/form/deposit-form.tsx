import Form from '@rjsf/core'
import type { RegistryWidgetsType, TemplatesType, UiSchema } from '@rjsf/utils'
import { useMemo } from 'preact/hooks'
import type { Fault } from '../api/http.ts'
import type { JsonObject } from '../api/json.ts'
import { ArrayItemTemplate } from './array-item-template.tsx'
import { ArrayTemplate } from './array-template.tsx'
import { Choice } from './choice-widget.tsx'
import { toErrorSchema } from './faults.ts'
import { FieldTemplate } from './field-template.tsx'
import type { FormContext } from './form-context.ts'
import { splitDocument, type FormSchema } from './form-schema.ts'
import { ObjectTemplate } from './object-template.tsx'
import { OtherFields } from './other-fields.tsx'
import { TextArea, TextInput } from './text-widget.tsx'
import { formValidator } from './validator.ts'

const Nothing = () => null

const templates: Partial<TemplatesType> = {
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ArrayItemTemplate,
  BaseInputTemplate: TextInput,
  FieldErrorTemplate: Nothing,
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
}

const widgets: RegistryWidgetsType = { SelectWidget: Choice, TextareaWidget: TextArea }

interface DepositFormProps {
  readonly form: FormSchema
  readonly layout: JsonObject
  readonly document: JsonObject
  readonly faults: readonly Fault[]
  readonly isReadonly: boolean
  readonly onChange: (document: JsonObject) => void
}

/** The form that a deposit's schema makes. What the schema does not know is shown, and kept. */
export function DepositForm(props: DepositFormProps) {
  const { form, layout, document, faults, isReadonly, onChange } = props
  const { shown, other } = splitDocument(form.schema, document)
  const errors = useMemo(() => toErrorSchema(faults), [faults])
  const context: FormContext = { recommended: form.recommended }
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
        extraErrors={errors}
        disabled={isReadonly}
        idPrefix="metadata"
        noHtml5Validate
        showErrorList={false}
        experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipEmptyDefaults' }}
        onChange={({ formData }) => onChange({ ...other, ...(formData as JsonObject) })}
      >
        <></>
      </Form>
      <OtherFields fields={other} />
    </>
  )
}
