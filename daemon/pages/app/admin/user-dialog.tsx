import { useId, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Confirm } from '../ui/dialog.tsx'
import type { UserBody, UserChange } from './admin-api.ts'

const roles = ['administrator', 'curator', 'reviewer'] as const

/** The name of a role for people; one that is not known has its own. */
export function roleName(name: string): string {
  const role = roles.find((each) => each === name)
  return role === undefined ? name : text(`admin.role.${role}`)
}

interface UserDialogProps {
  readonly user: UserBody
  readonly onSave: (change: UserChange) => void
  readonly onClose: () => void
}

/** Bytes of a GB. */
const gigabyte = 1e9

/** Roles, quota and state of a user. Only what was changed is sent. */
export function UserDialog({ user, onSave, onClose }: UserDialogProps) {
  const [chosen, setChosen] = useState<readonly string[]>(user.roles)
  const [quota, setQuota] = useState(user.quota === null ? '' : String(user.quota / gigabyte))
  const [isDisabled, setDisabled] = useState(user.disabled)
  const [isFaulty, setFaulty] = useState(false)
  const fault = useId()
  const save = () => {
    const bytes = toBytes(quota)
    setFaulty(bytes === undefined)
    if (bytes === undefined) return
    const isSame =
      chosen.length === user.roles.length && chosen.every((role) => user.roles.includes(role))
    onSave({
      ...(!isSame && { roles: [...chosen] }),
      ...(bytes !== user.quota && { quota: bytes }),
      ...(isDisabled !== user.disabled && { disabled: isDisabled }),
    })
  }
  return (
    <Confirm
      title={text('admin.changeUser', { email: user.email })}
      confirm={text('admin.save')}
      onConfirm={save}
      onClose={onClose}
    >
      <fieldset class="admin-roles">
        <legend class="label">{text('admin.roles')}</legend>
        {roles.map((role) => (
          <label key={role} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(role)}
              onChange={({ currentTarget }) =>
                setChosen(
                  roles.filter((each) =>
                    each === role ? currentTarget.checked : chosen.includes(each),
                  ),
                )
              }
            />
            <span>
              <strong>{text(`admin.role.${role}`)}</strong>{' '}
              <span class="quiet">{text(`admin.does.${role}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label>
        {text('admin.quotaIn')}
        <input
          type="text"
          inputMode="decimal"
          autocomplete="off"
          value={quota}
          aria-invalid={isFaulty}
          aria-describedby={fault}
          onInput={({ currentTarget }) => setQuota(currentTarget.value)}
        />
      </label>
      <p id={fault} class="field-error" aria-live="polite">
        {isFaulty ? text('admin.quotaFault') : ''}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={isDisabled}
          onChange={({ currentTarget }) => setDisabled(currentTarget.checked)}
        />{' '}
        {text('admin.disable')}
      </label>
    </Confirm>
  )
}

/** Null for the quota of all users; undefined where it is no amount. */
function toBytes(words: string): number | null | undefined {
  const trimmed = words.trim().replace(',', '.')
  if (trimmed === '') return null
  const bytes = Math.round(Number(trimmed) * gigabyte)
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined
}
