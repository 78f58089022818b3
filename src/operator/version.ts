/** The version of package.json: a test compares them. */
export const version = '1.0.0'

/** Names the doctor's requests, so that its look at a closed callback is no gateway's fault. */
export const doctorAgent = 'ussd-relay-doctor'
