//! What each role sends to and listens to, its logs and queues aside.

pub(super) const PROVISIONER: &[&str] = &[
    "$JS.API.STREAM.INFO.*",
    "$JS.API.STREAM.CREATE.*",
    "$JS.API.STREAM.UPDATE.*",
    "$JS.API.CONSUMER.INFO.AGON_JOB.*",
    "$JS.API.CONSUMER.CREATE.AGON_JOB.*.agon.v1.job.>",
];

pub(super) const GATEWAY_PUBLISH: &[&str] = &[
    // debates are admitted, queued, listed, ended
    "agon.v1.log.>",
    "agon.v1.big.>",
    "agon.v1.job.>",
    "agon.v1.cmd.>",
    "agon.v1.req.>",
    "agon.v1.idx.>",
    "agon.v1.ready.*",
    "agon.v1.node.*",
    // hosts are told to drain
    "agon.v1.host.*.*",
    "$JS.API.STREAM.INFO.AGON_RES",
    "$JS.API.STREAM.INFO.AGON_CMD",
    "$JS.API.STREAM.INFO.AGON_JOB",
    "$JS.API.STREAM.INFO.AGON_REQ",
    "$JS.API.STREAM.INFO.AGON_IDX",
    "$JS.API.STREAM.MSG.GET.AGON_CMD",
    "$JS.API.STREAM.MSG.GET.AGON_REQ",
    "$JS.API.STREAM.MSG.GET.AGON_IDX",
    "$JS.API.CONSUMER.CREATE.AGON_IDX.*.agon.v1.idx.>",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_IDX.*",
    "$JS.API.CONSUMER.INFO.AGON_IDX.*",
    // queued turns are counted; see GATEWAY_WISHES
    "$JS.API.STREAM.INFO.AGON_GEN",
    "$JS.API.STREAM.MSG.GET.AGON_GEN",
    // debates are deleted
    "$JS.API.STREAM.PURGE.AGON_RES",
    "$JS.API.STREAM.PURGE.AGON_CMD",
    "$JS.API.STREAM.PURGE.AGON_JOB",
    "$JS.API.STREAM.PURGE.AGON_IDX",
    "$JS.API.STREAM.PURGE.AGON_BIG",
    // large bodies
    "$JS.API.STREAM.INFO.AGON_BIG",
    "$JS.API.STREAM.MSG.GET.AGON_BIG",
];
/// What a gateway does without, because users of an older configuration lack it. None of it is tried at the start, so that the process
/// serves all the same: it lacks the metrics of queued turns, and after a lost connection the catalogue takes some seconds longer to be
/// followed again, because the client asks first whether its consumer is still there.
pub(super) const GATEWAY_WISHES: &[&str] =
    &["$JS.API.STREAM.INFO.AGON_GEN", "$JS.API.STREAM.MSG.GET.AGON_GEN", "$JS.API.CONSUMER.INFO.AGON_IDX.*"];
/// How a coordinator removes the registers of debates that are over. Users of an older configuration lack it: registers then expire by age.
pub const REGISTER_REMOVAL: [&str; 2] = [PURGE_REGISTERS, DELETE_REGISTER];
const PURGE_REGISTERS: &str = "$JS.API.STREAM.PURGE.AGON_RES";
const DELETE_REGISTER: &str = "$JS.API.STREAM.MSG.DELETE.AGON_RES";
/// The same of a coordinator, which follows the catalogue too, and makes the consumers of the turns that it queues.
pub(super) const COORDINATOR_WISHES: &[&str] = &[
    PURGE_REGISTERS,
    DELETE_REGISTER,
    "$JS.API.CONSUMER.INFO.AGON_IDX.*",
    // an older configuration has hosts make the consumers of turns
    "$JS.API.CONSUMER.INFO.AGON_GEN.*",
    "$JS.API.CONSUMER.CREATE.AGON_GEN.*.agon.v1.gen.>",
];
/// How gateways and coordinators keep evals. Users of an older configuration lack it: such a process serves all the same, and keeps none.
pub(super) const EVAL_KEEPING: &[&str] = &[
    "agon.v1.evl.>",
    "agon.v1.evp.>",
    "$JS.API.STREAM.INFO.AGON_EVL",
    "$JS.API.STREAM.MSG.GET.AGON_EVL",
    "$JS.API.CONSUMER.CREATE.AGON_EVL.*.agon.v1.evl.>",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_EVL.*",
    "$JS.API.CONSUMER.DELETE.AGON_EVL.*",
];
/// How gateways delete them.
pub(super) const EVAL_DELETING: &str = "$JS.API.STREAM.PURGE.AGON_EVL";
pub(super) const GATEWAY_SUBSCRIBE: &[&str] =
    &["agon.v1.ctl.*.*", "agon.v1.tok.>", "agon.v1.hb.*", "agon.v1.key.*", "agon.v1.alive.*"];

pub(super) const COORDINATOR_PUBLISH: &[&str] = &[
    // debates are led
    "agon.v1.log.>",
    "agon.v1.res.>",
    "agon.v1.big.>",
    "agon.v1.gen.>",
    "agon.v1.job.>",
    "agon.v1.idx.>",
    "agon.v1.ctl.*.*",
    "agon.v1.ready.*",
    "agon.v1.node.*",
    "agon.v1.alive.*",
    "agon.v1.host.*.*",
    "agon.v1.seat.*.*.*",
    "$JS.API.STREAM.INFO.AGON_RES",
    "$JS.API.STREAM.INFO.AGON_CMD",
    "$JS.API.STREAM.INFO.AGON_JOB",
    "$JS.API.STREAM.INFO.AGON_IDX",
    "$JS.API.STREAM.INFO.AGON_GEN",
    "$JS.API.STREAM.MSG.GET.AGON_CMD",
    "$JS.API.STREAM.MSG.GET.AGON_IDX",
    "$JS.API.CONSUMER.CREATE.AGON_IDX.*.agon.v1.idx.>",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_IDX.*",
    "$JS.API.CONSUMER.INFO.AGON_IDX.*",
    // hosts may make no consumers
    "$JS.API.CONSUMER.INFO.AGON_GEN.*",
    "$JS.API.CONSUMER.CREATE.AGON_GEN.*.agon.v1.gen.>",
    // marks of deleted debates are cleared
    "$JS.API.STREAM.PURGE.AGON_IDX",
    // and the registers of debates that are over
    PURGE_REGISTERS,
    DELETE_REGISTER,
    // jobs are taken
    "$JS.API.CONSUMER.INFO.AGON_JOB.*",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_JOB.*",
    "$JS.ACK.AGON_JOB.*.*.*.*.*.*",
    "$JS.ACK.*.*.AGON_JOB.*.*.*.*.*.*",
    // the results of turns
    "$JS.API.STREAM.MSG.GET.AGON_RES",
    // large bodies
    "$JS.API.STREAM.INFO.AGON_BIG",
    "$JS.API.STREAM.MSG.GET.AGON_BIG",
];
pub(super) const COORDINATOR_SUBSCRIBE: &[&str] = &[
    "agon.v1.node.*",
    "agon.v1.ready.*",
    "agon.v1.ctl.*.*",
    "agon.v1.hb.*",
    "agon.v1.key.*",
    "agon.v1.alive.*",
    // the seats of external participants are kept by coordinators, and reached as hosts are
    "agon.v1.host.*.*",
];

pub(super) const HOST_PUBLISH: &[&str] = &[
    // turns are played
    "agon.v1.res.>",
    "agon.v1.big.>",
    "agon.v1.tok.>",
    "agon.v1.hb.*",
    // what orders to this host have to prove; heard by those alone who give orders
    "agon.v1.key.*",
    "agon.v1.node.*",
    "$JS.API.STREAM.INFO.AGON_RES",
    "$JS.API.STREAM.INFO.AGON_GEN",
    "$JS.API.STREAM.MSG.GET.AGON_RES",
    // large bodies
    "$JS.API.STREAM.INFO.AGON_BIG",
    "$JS.API.STREAM.MSG.GET.AGON_BIG",
];
pub(super) const HOST_SUBSCRIBE: &[&str] = &["agon.v1.host.*.*", "agon.v1.ctl.*.*", "agon.v1.hb.*", "agon.v1.alive.*"];

/// The keys of hosts. Older configurations of the server do not have them: hosts then obey whoever reaches them.
pub const KEYS: &str = "agon.v1.key.*";
