import { type IssueId, type UserId, asId } from '../../../../core/platform/crypto/ids.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'
import type { Site } from '../../../../core/platform/site.ts'

export const UNSUBSCRIBE = '/notifications/unsubscribe'

export interface IssueOfUser {
  readonly userId: UserId
  readonly issueId: IssueId
}

const CONTEXT = 'mail.unsubscribe'

export type UnsubscribeLinks = ReturnType<typeof createUnsubscribeLinks>

/** Links in mails that unsubscribe a user from an issue without signing in; only this server can create them. */
export function createUnsubscribeLinks({ secrets, site }: { secrets: SecretBox; site: Site }) {
  return {
    make: ({ userId, issueId }: IssueOfUser): string =>
      `${site.rootUrl()}${UNSUBSCRIBE}/${secrets.seal(`${userId}.${issueId}`, CONTEXT)}`,
    /** Undefined for a token that this server did not create. */
    read(token: string): IssueOfUser | undefined {
      try {
        const [userId = 0, issueId = 0] = secrets.open(token, CONTEXT).split('.').map(Number)
        return { userId: asId(userId), issueId: asId(issueId) }
      } catch {
        return undefined
      }
    },
  }
}
