import { useEffect, useState } from 'preact/hooks'
import { sortedName, splitSpokenName } from '../../../../core/contract/person-names.ts'
import { isArray, isObject, type JsonObject } from '../api/json.ts'
import { readMe } from '../api/me.ts'
import type { Page } from '../api/page.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'

/** Adds the person who is signed in to the creators; undefined where they have no name, or are one. */
export function useAddMe(page: Page, editor: DraftEditor): (() => void) | undefined {
  const [me, setMe] = useState<JsonObject>()
  useEffect(() => {
    if (page.isByLink === true) return
    // Without the name, there is no button.
    readMe(page).then(
      ({ name }) => setMe(name === null ? undefined : toCreator(name)),
      () => {},
    )
  }, [page])
  const { document: metadata } = editor.view
  const creators = isArray(metadata['creators']) ? metadata['creators'] : []
  const isThere = creators.some((each) => isObject(each) && each['name'] === me?.['name'])
  if (me === undefined || isThere) return undefined
  return () => {
    const filled = creators.filter((each) => !isObject(each) || Object.keys(each).length > 0)
    editor.replace({ ...metadata, creators: [...filled, me] })
    // The form is drawn again: the focus goes to what was added.
    requestAnimationFrame(() =>
      document.getElementById(`metadata_creators_${filled.length}_name`)?.focus(),
    )
  }
}

/** `Family, Given`, as the field asks for it. */
function toCreator(name: string): JsonObject {
  const parts = name.includes(',') ? undefined : splitSpokenName(name)
  return { name: parts === undefined ? name : sortedName(name, parts) }
}
