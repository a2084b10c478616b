import { useRef, useState } from 'preact/hooks'
import { text } from '../text/text.ts'
import { depositApi } from './api/deposits.ts'
import type { JsonObject } from './api/json.ts'
import { pageUrl, type Page } from './api/page.ts'
import { Notice } from './ui/messages.tsx'
import { today } from './ui/today.ts'

/** A kind and a title, and the draft is there. */
export function NewPage({ page }: { readonly page: Page }) {
  const [title, setTitle] = useState('')
  const [schema, setSchema] = useState(page.defaultSchema)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')
  const last = useRef({ document: '', key: '' })
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setFailure('')
    try {
      const document = { $schema: schema, ...(title && { title }), ...filledIn(page, schema) }
      // The answer may have been lost, and the draft be there: the same key leads to it.
      const sent = JSON.stringify(document)
      if (last.current.document !== sent) last.current = { document: sent, key: randomKey() }
      const { id } = await depositApi(page).create(document, last.current.key)
      location.assign(pageUrl(page, id))
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <form class="new-page card" onSubmit={(event) => void create(event)}>
      <h1>{text('new.title')}</h1>
      <p class="quiet">{text('new.explain')}</p>
      <label class="field">
        <span class="label">{text('new.name')}</span>
        <input value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      {page.schemas.length > 1 && (
        <SchemaChoices page={page} chosen={schema} onChoose={setSchema} />
      )}
      {failure && <Notice kind="bad">{failure}</Notice>}
      <p class="form-foot">
        <a class="button" href={page.pages.list}>
          {text('cancel')}
        </a>
        <button class="primary" disabled={isBusy}>
          {text(isBusy ? 'new.busy' : 'new.create')}
        </button>
      </p>
    </form>
  )
}

/** As `crypto.randomUUID`, which browsers have on secure pages alone. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

/** What most new deposits say. */
function filledIn({ schemas }: Page, path: string): JsonObject {
  const fills = schemas.find((schema) => schema.path === path)?.fills ?? []
  return {
    ...(fills.includes('publication_date') && { publication_date: today() }),
    ...(fills.includes('resource_type') && { resource_type: 'dataset' }),
  }
}

interface SchemaChoicesProps {
  readonly page: Page
  readonly chosen: string
  readonly onChoose: (path: string) => void
}

function SchemaChoices({ page, chosen, onChoose }: SchemaChoicesProps) {
  return (
    <fieldset class="choices">
      <legend class="label">{text('new.kind')}</legend>
      {page.schemas.map(({ path, title, description }) => (
        <label key={path} class="choice">
          <input
            type="radio"
            name="schema"
            checked={chosen === path}
            onChange={() => onChoose(path)}
          />
          <span class="choice-title">{title}</span>
          <span class="quiet">{description}</span>
        </label>
      ))}
    </fieldset>
  )
}
