import {
  actions,
  defineConfig,
  isOwner,
  PermissionDenied,
  scopePermission,
  writeScopePermission,
  type Caller,
  type Deposit,
  type User,
} from 'depositd/config'

/**
 * Staff may deposit, and curators of physics publish what is about physics. With the issuer of an
 * institution, whose tokens say in the claim `groups` who is in `staff` and `physics-curators`.
 *
 * A personal token has no groups: scripts need a role that was granted here, or are named by e-mail.
 */
const isPhysics = (deposit: Deposit | undefined): boolean => deposit?.metadata['subject'] === 'physics'

const isPhysicsCurator = (user: Caller): boolean =>
  typeof user !== 'string' && (user.groups?.includes('physics-curators') ?? false)

const worksOn = (user: User, deposit: Deposit | undefined): boolean =>
  isOwner(user, deposit) || (isPhysics(deposit) && isPhysicsCurator(user))

export default defineConfig({
  DEPOSIT_REST_ENDPOINTS: {
    depid: {
      create_permission_factory_imp: writeScopePermission(
        ({ groups, roles, email }) =>
          groups.includes('staff') || roles.has('curator') || email === 'robot@example.org',
      ),
      read_permission_factory_imp: scopePermission(worksOn),
      // Who may update may run actions: which of them is said below.
      update_permission_factory_imp: writeScopePermission(worksOn),
    },
  },
  actions: {
    publish: {
      ...actions['publish'],
      summary: 'Publish; physics by its curators alone',
      run: (deposit, context) => {
        if (isPhysics(deposit) && !isPhysicsCurator(context.caller))
          throw new PermissionDenied('A curator of physics publishes this.')
        return actions['publish'].run(deposit, context)
      },
    },
  },
})
