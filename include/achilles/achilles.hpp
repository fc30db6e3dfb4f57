// All of the public API.
#pragma once

#include <achilles/contact_callback.hpp>
#include <achilles/contact_graph.hpp>
#include <achilles/error.hpp>
#include <achilles/events.hpp>
#include <achilles/import.hpp>
#include <achilles/joint.hpp>
#include <achilles/json.hpp>
#include <achilles/live_view.hpp>
#include <achilles/math.hpp>
#include <achilles/placement.hpp>
#include <achilles/profile.hpp>
#include <achilles/query.hpp>
#include <achilles/recorder.hpp>
#include <achilles/report.hpp>
#include <achilles/run.hpp>
#include <achilles/scene.hpp>
#include <achilles/script.hpp>
#include <achilles/sensor.hpp>
#include <achilles/shape.hpp>
#include <achilles/simulation.hpp>
#include <achilles/sleep.hpp>
#include <achilles/world.hpp>
