import type { AreaDeps } from '../../app/deps.ts'
import type { Operation } from '../../http/operation.ts'
import { memberRoutes } from './members.operations.ts'
import { orgListRoutes } from './org-lists.operations.ts'
import { orgRoutes } from './org.operations.ts'

/** Organizations, their members and teams (reference orgs-webhooks-actions). */
export function orgOperations(deps: AreaDeps): Operation[] {
  return [...orgRoutes(deps), ...orgListRoutes(deps), ...memberRoutes(deps)]
}
