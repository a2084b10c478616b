import type { WidgetProps } from '@rjsf/utils'

type Known =
  | 'id'
  | 'disabled'
  | 'label'
  | 'onChange'
  | 'options'
  | 'rawErrors'
  | 'readonly'
  | 'required'
  | 'schema'

/** What a widget is given, as far as ours look; the library leaves the types of values open. */
export type Widget = Pick<WidgetProps, Known> & {
  readonly value?: unknown
}
