import { render } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { text } from '../text/text.ts'
import type { Deposit } from './api/deposits.ts'
import { callJson } from './api/http.ts'
import { speakLanguageOfPage } from './page-language.ts'
import { askOtherTabs, readSession } from './api/session.ts'
import { CopyButton } from './ui/copy-button.tsx'
import { PreviewDialog } from './ui/preview-dialog.tsx'

await speakLanguageOfPage()

/** Adds previews, copy buttons and the owner's link to the page of a record, which works without. */
for (const row of document.querySelectorAll<HTMLElement>('[data-preview]')) {
  const { preview = '', name = '' } = row.dataset
  const place = document.createElement('span')
  row.querySelector('.file-actions')?.prepend(place)
  render(<PreviewButton name={name} download={preview} />, place)
}

leadToPreview()

/** Of many files the page lists some: the address of a preview leads to the file by its name. */
function leadToPreview(): void {
  if (!location.hash.startsWith('#preview/') || document.querySelector('[name=find]') === null)
    return
  const listed = [...document.querySelectorAll<HTMLElement>('[data-name]')]
  const isListed = listed.some(({ dataset: { name = '' } }) => hashOf(name) === location.hash)
  const query = new URLSearchParams(location.search)
  if (isListed || query.has('find')) return
  query.delete('folder')
  query.delete('page')
  query.set('find', decodeURIComponent(location.hash.slice('#preview/'.length)))
  location.replace(`?${query.toString()}${location.hash}`)
}

for (const citation of document.querySelectorAll<HTMLElement>('.citation')) {
  const place = document.createElement('span')
  citation.after(place)
  render(<CopyButton content={citation.textContent} />, place)
}

const owner = document.getElementById('owner')
const deposit = document.querySelector<HTMLElement>('[data-deposit]')?.dataset['deposit']
if (owner && deposit !== undefined) render(<OwnerLink deposit={deposit} />, owner)

/** The way back to the deposit of a record, for who may change it. */
function OwnerLink({ deposit }: { readonly deposit: string }) {
  const [page, setPage] = useState<string>()
  useEffect(() => {
    const find = async () => {
      if (!readSession()) await askOtherTabs()
      if (readSession()) setPage(pageOf((await callJson<Deposit>(deposit)).links))
    }
    // Most readers own nothing here: then there is no link, and nothing to be said about it.
    find().catch(() => undefined)
  }, [deposit])
  if (page === undefined) return null
  return (
    <a class="button" href={page}>
      {text('record.edit')}
    </a>
  )
}

/** The reader may have come by another name of this service, under which they are signed in. */
function pageOf({ html = '', self = '' }: Deposit['links']): string {
  const isOurs = URL.canParse(html) && new URL(html).origin === new URL(self).origin
  return isOurs ? new URL(html).pathname : html
}

/** The end of the address of a preview: `#preview/figures/trend.png`. */
function hashOf(name: string): string {
  return `#preview/${name.split('/').map(encodeURIComponent).join('/')}`
}

interface PreviewButtonProps {
  readonly name: string
  readonly download: string
}

/** Shows a file of a record in front of its page; while it is shown, the address leads to it. */
function PreviewButton({ name, download }: PreviewButtonProps) {
  const own = hashOf(name)
  const [isOpen, setOpen] = useState(location.hash === own)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const follow = () => setOpen(location.hash === own)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [own])
  // Nothing is shown in a folder that is folded.
  useLayoutEffect(() => {
    if (isOpen) button.current?.closest('details')?.setAttribute('open', '')
  }, [isOpen])
  const show = (isShown: boolean) => {
    history.replaceState(history.state, '', isShown ? own : location.pathname + location.search)
    setOpen(isShown)
  }
  return (
    <>
      <button ref={button} type="button" onClick={() => show(true)}>
        {text('file.preview')}
        <span class="visually-hidden"> {name}</span>
      </button>
      {isOpen && <PreviewDialog name={name} download={download} onClose={() => show(false)} />}
    </>
  )
}
