import '../styles/import.css'
import type { RJSFSchema } from '@rjsf/utils'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { readForeign, type ReadForeign } from '../../../../core/contract/foreign/read-foreign.ts'
import { bibtexEntries } from '../../../../core/contract/foreign/bibtex-entries.ts'
import { imports } from '../../text/imports.ts'
import { addTexts, counted, formatSize, text } from '../../text/text.ts'
import type { Json, JsonObject } from '../api/json.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { labelAt } from '../form/faults.ts'
import { toReadFields } from '../read/field-words.ts'
import { Confirm } from '../ui/dialog.tsx'
import { say } from '../ui/messages.tsx'
import { isEmpty, offer } from './offered.ts'

addTexts(imports)

interface ImportDialogProps {
  readonly editor: DraftEditor
  readonly schema: RJSFSchema
  readonly onClose: () => void
}

/** Bytes of a file with metadata; others are data. */
const most = 2_000_000

/** Milliseconds for which an import can be undone where it is said. */
const undoMs = 20_000

/** What a text has, or why nothing can be taken from it. */
type Found = ReadForeign | { readonly fault: string } | undefined

/** Takes metadata over from a text of others, once a person has seen and chosen them. */
export function ImportDialog({ editor, schema, onClose }: ImportDialogProps) {
  const [source, setSource] = useState({ text: '', name: '' })
  const [from, setFrom] = useState(0)
  const found = useFound(source, from)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { document } = editor.view
  const { fields: metadata, chosen: atFirst } = useMemo(
    () => offer(found && 'metadata' in found ? toJson(found.metadata) : {}, document, schema),
    [found],
  )
  useEffect(() => setChosen(atFirst), [atFirst])
  const entries = useMemo(() => bibtexEntries(source.text), [source])
  const take = () => {
    const fields = Object.entries(metadata).filter(([name]) => chosen.has(name))
    if (fields.length > 0) takeOver(editor, Object.fromEntries(fields))
    onClose()
  }
  const setText = (given: string, name = '') => {
    setFrom(0)
    setSource({ text: given, name })
  }
  return (
    <Confirm
      title={text('import.title')}
      confirm={text('import.do')}
      cannot={chosen.size === 0}
      wide
      onConfirm={take}
      onClose={onClose}
    >
      <p class="hint">{text('import.explain')}</p>
      <Source
        value={source.text}
        onText={setText}
        onTooLarge={() => setSource({ text: tooLarge, name: '' })}
      />
      {entries.length > 1 && (
        <label>
          {counted('import.entries', entries.length)}
          <select
            value={from}
            onChange={({ currentTarget }) => setFrom(Number(currentTarget.value))}
          >
            {entries.map(({ key, at }) => (
              <option key={at} value={at}>
                {key}
              </option>
            ))}
          </select>
        </label>
      )}
      <div aria-live="polite">
        {found && 'fault' in found && <p class="notice warn">{found.fault}</p>}
        {found && 'metadata' in found && (
          <fieldset class="import-fields">
            <legend>{text('import.found', { format: found.format })}</legend>
            {Object.keys(metadata).length === 0 && <p class="quiet">{text('import.nothingNew')}</p>}
            {Object.entries(metadata).map(([name, value]) => (
              <Choice
                key={name}
                label={labelAt(schema, `/${name}`)}
                words={wordsOf(schema, name, value)}
                before={wordsOf(schema, name, editor.view.document[name])}
                {...(name === 'doi' && { hint: text('import.doiHint') })}
                isChosen={chosen.has(name)}
                onChoose={(isChosen) => setChosen(withName(chosen, name, isChosen))}
              />
            ))}
          </fieldset>
        )}
        {found && 'notTaken' in found && found.notTaken.length > 0 && (
          <p class="quiet">{text('import.notTaken', { fields: found.notTaken.join(', ') })}</p>
        )}
      </div>
    </Confirm>
  )
}

/** A text, and the name of its file. */
interface Given {
  readonly text: string
  readonly name: string
}

/** Stands for the text of a file that is not read. */
const tooLarge = '\0'

/** @param from where the entry of a bibliography begins that is to be read */
function useFound({ text: given, name }: Given, from: number): Found {
  const [found, setFound] = useState<Found>(undefined)
  useEffect(() => {
    let isWanted = true
    const show = (next: Found): void => {
      if (isWanted) setFound(next)
    }
    if (given.trim() === '') show(undefined)
    else if (given === tooLarge)
      show({ fault: text('import.tooLarge', { most: formatSize(most) }) })
    else {
      const unknown = { fault: text('import.unknown') }
      readForeign(given.slice(from), name).then(
        (read) => show(read && Object.keys(read.metadata).length > 0 ? read : unknown),
        () => show(unknown),
      )
    }
    return () => {
      isWanted = false
    }
  }, [given, name, from])
  return found
}

interface SourceProps {
  readonly value: string
  readonly onText: (text: string, name?: string) => void
  readonly onTooLarge: () => void
}

/** Where the text comes from: pasted, or a file that is chosen or dropped. */
function Source({ value, onText, onTooLarge }: SourceProps) {
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const read = (file: File | undefined) => {
    if (!file) return
    if (file.size > most) onTooLarge()
    else void file.text().then((content) => onText(content, file.name))
  }
  return (
    <div
      class="import-source"
      onDragOver={(event) => {
        event.preventDefault()
        // The page behind would upload it.
        event.stopPropagation()
      }}
      onDrop={(event) => {
        event.preventDefault()
        event.stopPropagation()
        read(event.dataTransfer?.files[0])
      }}
    >
      <label class="label" for={id}>
        {text('import.paste')}
      </label>
      <textarea
        id={id}
        rows={6}
        spellcheck={false}
        value={value === tooLarge ? '' : value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <p>
        <button type="button" onClick={() => input.current?.click()}>
          {text('import.choose')}
        </button>
      </p>
      <input
        ref={input}
        type="file"
        hidden
        accept=".bib,.bibtex,.cff,.json,.xml,.yaml,.yml,.txt"
        aria-label={text('import.choose')}
        onChange={({ currentTarget }) => {
          read(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly words: readonly string[]
  /** What the form has now. */
  readonly before: readonly string[]
  readonly hint?: string
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
}

function Choice({ label, words, before, hint, isChosen, onChoose }: ChoiceProps) {
  return (
    <label class="check import-field">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
      />{' '}
      <span>
        <strong>{label}</strong>
        {words.map((line, at) => (
          <span key={at} class="import-line" dir="auto">
            {line}
          </span>
        ))}
        {hint !== undefined && <span class="import-line quiet">{hint}</span>}
        {before.length > 0 && (
          <span class="import-line quiet" dir="auto">
            {text('import.replaces')} {before.join('; ')}
          </span>
        )}
      </span>
    </label>
  )
}

function takeOver(editor: DraftEditor, fields: JsonObject): void {
  const { document: before } = editor.view
  editor.replace({ ...before, ...fields })
  const undo = (): void => {
    const { document } = editor.view
    const names = new Set(Object.keys(fields))
    const kept = Object.entries(document).filter(([name]) => !names.has(name))
    const old = Object.entries(before).filter(([name]) => names.has(name))
    editor.replace(Object.fromEntries([...kept, ...old]))
    dismiss()
    say(text('import.undone'))
  }
  const count = Object.keys(fields).length
  const dismiss = say(counted('import.done', count), { undo, forMs: undoMs })
}

/** The value in words, line by line. */
function wordsOf(schema: RJSFSchema, name: string, value: Json | undefined): readonly string[] {
  if (isEmpty(value)) return []
  // What is read has the title above it, and not among its fields.
  if (name === 'title' && typeof value === 'string') return [value]
  const lines = toReadFields(schema, { [name]: value ?? null })[0]?.lines ?? []
  return lines.map((line) => line.map((part) => part.text).join(text('record.between')))
}

function withName(names: ReadonlySet<string>, name: string, isIn: boolean): ReadonlySet<string> {
  const others = [...names].filter((each) => each !== name)
  return new Set(isIn ? [...others, name] : others)
}

/** What was read from a text of JSON, YAML, XML or BibTeX can be written as JSON. */
function toJson(metadata: ReadForeign['metadata']): JsonObject {
  return JSON.parse(JSON.stringify(metadata)) as JsonObject
}
