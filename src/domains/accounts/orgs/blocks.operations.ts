import type { Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import { type BlockOperationDeps, blockOperations } from '../users/blocks/blocks.operations.ts'

interface OrgBlockOperationDeps extends BlockOperationDeps {
  readonly guards: Pick<Guards, 'org'>
}

/** Blocking by organizations (behaviour/decisions#two-families-of-paths, behaviour/users-and-admin#blocking). */
export function orgBlockOperations(deps: OrgBlockOperationDeps): Operation[] {
  return blockOperations(deps, {
    root: '/orgs/{org}',
    area: 'organization',
    guard: deps.guards.org('owner'),
    blocker: ({ org }) => org,
    ids: {
      list: 'organizationListBlocks',
      check: 'organizationCheckUserBlock',
      block: 'organizationBlockUser',
      unblock: 'organizationUnblockUser',
      listShort: 'orgListBlockedUsers',
      blockQuietly: 'orgBlockUser',
      unblockQuietly: 'orgUnblockUser',
    },
  })
}
