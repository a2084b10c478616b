import { text } from '../../text/text.ts'
import type { JsonObject } from '../api/json.ts'

/** Fields that the schema does not know: kept as they are, changed from the command line. */
export function OtherFields({ fields }: { readonly fields: JsonObject }) {
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
