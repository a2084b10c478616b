import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Notice } from '../ui/notice.tsx'

interface ImagePreviewProps {
  readonly name: string
  readonly bytes: Blob
}

/** An image, decoded by the browser from memory. */
export function ImagePreview({ name, bytes }: ImagePreviewProps) {
  const [url, setUrl] = useState('')
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const made = URL.createObjectURL(bytes)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (isBroken) return <Notice kind="warn">{text('preview.broken')}</Notice>
  return url === '' ? null : <img src={url} alt={name} onError={() => setBroken(true)} />
}
