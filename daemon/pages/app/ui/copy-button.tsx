import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ content }: { readonly content: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(content)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{text(isCopied ? 'copied' : 'copy')}</span>
    </button>
  )
}
