declare const brand: unique symbol
type Id<Name extends string> = number & { readonly [brand]: Name }

export type UserId = Id<'user'>
export type RepoId = Id<'repo'>
export type TeamId = Id<'team'>
export type IssueId = Id<'issue'>
export type NotificationId = Id<'notification'>
export type LabelId = Id<'label'>
export type MilestoneId = Id<'milestone'>
export type OauthApplicationId = Id<'oauth application'>
export type OauthChainId = Id<'oauth chain'>
export type OauthGrantId = Id<'oauth grant'>
export type ProjectId = Id<'project'>
export type ProjectColumnId = Id<'project column'>
export type PullId = Id<'pull'>
export type QuotaGroupId = Id<'quota group'>
export type QuotaRuleId = Id<'quota rule'>
export type ReviewId = Id<'review'>
export type SignInSourceId = Id<'sign-in source'>
export type TokenId = Id<'token'>

/** Marks a plain number from the database or the path as an id. Unparsable path ids are 0, which no row has. */
export const asId = <T extends number>(value: number): T => value as T
