export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const milliWei = 1_000_000_000_000_000n
