import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { sayFailure } from './messages.tsx'

/** A component whose program is loaded when it is first shown. Nothing is shown until then. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function Later(props: Props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props>>()
    useEffect(() => {
      load().then((found) => setLoaded(() => found), sayFailure)
    }, [])
    return Loaded ? <Loaded {...props} /> : null
  }
}
