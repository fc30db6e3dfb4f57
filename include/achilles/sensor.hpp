// What the sensors of a scene read after every step.
//
//   joint_position   value [rad] or [m]              position along the axis, 0 at the start
//   joint_velocity   value [rad/s] or [m/s]
//   joint_torque     value [N m] or [N]              of motor and drive along the axis, mean over the step
//   imu              ax ay az [m/s²], wx wy wz [rad/s]  proper acceleration, mean over the step, and angular rate, in
//   the
//                                                    sensor's axes: at rest it reads g upwards, in free fall 0
//   contact_force    fx fy fz [N]                    sum of the contact forces on the body, mean over the step, world
//   axes touch            value [N]                       sum of the normal contact forces on the body, mean over the
//   step frame            x y z [m], qw qx qy qz, vx vy vz [m/s], wx wy wz [rad/s]  of the sensor in the world
//   distance_ray     value [m]                       to the next other body along the ray, its range where there is
//   none
//
// Before the first step torques, forces and accelerations read 0. What sleeps reads what it read when it fell asleep;
// of sleepers that rest on a body which cannot move that body feels nothing.
#pragma once

#include <achilles/scene.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace achilles {

struct SensorColumn {
  std::string_view name;
  std::string_view unit;
};

/// A sensor of a simulation and where its values stand among those of all.
struct SensorInfo {
  std::string name;
  SensorKind kind = SensorKind::kJointPosition;
  std::size_t first = 0;
  std::vector<SensorColumn> columns;
};

}  // namespace achilles
