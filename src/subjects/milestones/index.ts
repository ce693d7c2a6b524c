export { Milestone as MilestoneModel } from './milestone.model.ts'
export { presentMilestone } from './milestone.present.ts'
export type { Milestone } from './milestone.store.ts'
export type { Milestones } from './milestones.service.ts'
