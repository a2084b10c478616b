import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { say, sayFailure } from '../ui/toasts.tsx'

/** Milliseconds in which a removal can be taken back. */
const grace = 8_000

export interface Removal {
  /** Ids of files that are about to go. */
  readonly leaving: ReadonlySet<string>
  readonly remove: (file: DepositFile) => void
}

/**
 * Removes files after a while in which that can be undone: a file that is deleted is gone with its
 * versions. A page that is left does not wait.
 */
export function useRemoval(api: FileApi, onRemoved: () => Promise<void>): Removal {
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set())
  const pending = useRef(new Map<string, DepositFile>())
  const stay = (id: string) => {
    pending.current.delete(id)
    setLeaving(new Set(pending.current.keys()))
  }
  const finish = async (file: DepositFile) => {
    if (!pending.current.delete(file.id)) return
    try {
      await api.remove(file)
    } catch (error) {
      sayFailure(error)
    }
    await onRemoved()
    setLeaving(new Set(pending.current.keys()))
  }
  const remove = (file: DepositFile) => {
    pending.current.set(file.id, file)
    setLeaving(new Set(pending.current.keys()))
    const timer = setTimeout(() => void finish(file), grace)
    const dismiss = say(text('file.removed', { name: file.filename }), {
      forMs: grace,
      undo: () => {
        clearTimeout(timer)
        stay(file.id)
        dismiss()
      },
    })
  }
  useEffect(() => {
    const flush = () => {
      for (const file of pending.current.values()) void api.remove(file, true)
      pending.current.clear()
    }
    addEventListener('pagehide', flush)
    return () => removeEventListener('pagehide', flush)
  }, [api])
  return { leaving, remove }
}
