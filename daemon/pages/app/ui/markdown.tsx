import {
  isList,
  readMarkdown,
  type Block,
  type Inline,
  type List,
  type Table,
} from '../../../../core/contract/markdown.ts'

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
  if (isList(block)) return <ListView list={block} />
  if (block.kind === 'table') return <TableView table={block} />
  const line = <Line parts={block.inside} />
  if (block.kind === 'quote') return <blockquote dir="auto">{line}</blockquote>
  return (
    <p class={block.kind === 'heading' ? 'heading' : ''} dir="auto">
      {line}
    </p>
  )
}

function ListView({ list: { kind, items } }: { readonly list: List }) {
  const all = items.map(({ number, inside, lists }, at) => (
    <li key={at} value={number}>
      <Line parts={inside} />
      {lists.map((list, index) => (
        <ListView key={index} list={list} />
      ))}
    </li>
  ))
  return kind === 'list' ? <ul dir="auto">{all}</ul> : <ol dir="auto">{all}</ol>
}

function TableView({ table: { head, rows } }: { readonly table: Table }) {
  return (
    <table dir="auto">
      {head.length > 0 && (
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at}>
                <Line parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, at) => (
              <td key={at}>
                <Line parts={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
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
