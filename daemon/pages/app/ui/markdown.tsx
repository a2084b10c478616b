import { readMarkdown, type Block, type Inline } from '../../../../core/contract/markdown.ts'

/** A text in Markdown. Its parts become elements; nothing of it is read as HTML. */
export function Markdown({ source }: { readonly source: string }) {
  return (
    <>
      {readMarkdown(source).map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </>
  )
}

function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === 'code')
    return (
      <pre>
        <code>{block.text}</code>
      </pre>
    )
  if (block.kind === 'list')
    return (
      <ul dir="auto">
        {block.items.map((item, at) => (
          <li key={at}>
            <Line parts={item} />
          </li>
        ))}
      </ul>
    )
  if (block.kind === 'numbers')
    return (
      <ol dir="auto">
        {block.items.map(({ number, inside }, at) => (
          <li key={at} value={number}>
            <Line parts={inside} />
          </li>
        ))}
      </ol>
    )
  const line = <Line parts={block.inside} />
  if (block.kind === 'quote') return <blockquote dir="auto">{line}</blockquote>
  return (
    <p class={block.kind === 'heading' ? 'heading' : ''} dir="auto">
      {line}
    </p>
  )
}

function Line({ parts }: { readonly parts: readonly Inline[] }) {
  return (
    <>
      {parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
    </>
  )
}

function Part({ part }: { readonly part: Inline }) {
  if (part.kind === 'text') return <>{part.text}</>
  if (part.kind === 'code') return <code>{part.text}</code>
  const inside = <Line parts={part.inside} />
  if (part.kind === 'strong') return <strong>{inside}</strong>
  if (part.kind === 'em') return <em>{inside}</em>
  return (
    <a href={part.href} rel="external nofollow noreferrer">
      {inside}
    </a>
  )
}
