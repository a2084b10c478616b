import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'

/** Puts a text into the clipboard, and says so; where the browser denies it, it shows the text selected. */
export function CopyButton({ content }: { readonly content: string }) {
  const [isCopied, setCopied] = useState(false)
  const [denials, setDenials] = useState(0)
  const copy = async () => {
    const isDone = await isWritten(content)
    setDenials((before) => (isDone ? 0 : before + 1))
    if (!isDone) return
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <>
      <button type="button" class="copy" onClick={() => void copy()}>
        <span aria-live="polite">{text(isCopied ? 'copied' : 'copy')}</span>
      </button>
      {denials > 0 && <ToCopy key={denials} content={content} />}
    </>
  )
}

/** False where the browser or the person denies it. A page without TLS has no clipboard. */
async function isWritten(content: string): Promise<boolean> {
  const { clipboard } = navigator as Partial<Navigator>
  if (clipboard === undefined) return false
  return clipboard.writeText(content).then(
    () => true,
    () => false,
  )
}

function ToCopy({ content }: { readonly content: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  return (
    <label class="to-copy">
      {text('copyYourself')}
      <textarea readOnly rows={2} value={content} ref={field} />
    </label>
  )
}
