import type { Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'
import { memberRoutes } from './members.routes.ts'
import { orgListRoutes } from './org-lists.routes.ts'
import { orgRoutes } from './orgs.routes.ts'

/** Organizations, their members and teams (reference orgs-webhooks-actions). */
export function orgOperations(deps: AreaDeps): Operation[] {
  return [...orgRoutes(deps), ...orgListRoutes(deps), ...memberRoutes(deps)]
}
