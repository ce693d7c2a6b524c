import type { Projections } from '../../../core/events/index.ts'
import { accountProjections } from './accounts.projection.ts'
import { actionsProjections } from './actions.projection.ts'
import { adminProjections } from './admin.projection.ts'
import { oauthProjections } from './oauth.projection.ts'
import { orgProjections } from './orgs.projection.ts'
import { quotaProjections } from './quota.projection.ts'
import { repoProjections } from './repos.projection.ts'

/** The events that the audit log records, in the transaction of the change. */
export const auditProjections: Projections = {
  ...accountProjections,
  ...actionsProjections,
  ...adminProjections,
  ...oauthProjections,
  ...orgProjections,
  ...quotaProjections,
  ...repoProjections,
}
