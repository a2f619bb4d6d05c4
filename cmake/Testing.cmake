# Tests by what they need. The label says it, and a fixture brings it up when a test with that label runs:
#
#   unit       nothing
#   cluster    etcd, kube-apiserver, kube-controller-manager
#   openstack  OpenStack
#   lab        a control plane of its own (test/lab), and a simulated cloud
#   e2e        all of it: a node with pods, Crossplane and OpenStack
#   soak       all of it, for long: not part of `make test`
#
# The target tests-<label> builds all tests of a label. Those that are not built have no label, so no run mistakes them for its own.
include(GoogleTest)

set(KUPEN_CLUSTER "${PROJECT_SOURCE_DIR}/test/cluster/cluster")
set(KUPEN_PARTS_cluster control)
set(KUPEN_PARTS_openstack openstack)
set(KUPEN_PARTS_e2e all)
set(KUPEN_PARTS_soak all)
set(KUPEN_SECONDS_cluster 120)
set(KUPEN_SECONDS_openstack 180)
set(KUPEN_SECONDS_e2e 600)
set(KUPEN_SECONDS_lab 600)
set(KUPEN_SECONDS_soak 3600)

foreach(label unit cluster openstack lab e2e soak)
  add_custom_target(tests-${label})
endforeach()

foreach(label cluster openstack e2e soak)
  add_test(NAME ${label}.up COMMAND ${KUPEN_CLUSTER} up ${KUPEN_PARTS_${label}})
  # Long enough for a machine that has to build everything first.
  set_tests_properties(${label}.up PROPERTIES FIXTURES_SETUP ${label} TIMEOUT 3000)
endforeach()

# kupen_test(json_test LABEL unit SOURCES json_test.cc DEPENDS provider/json)
#
# Tests run side by side, those of one cluster too. One that needs it for itself says PROPERTIES RUN_SERIAL TRUE. With WHOLE all
# tests of the program run in one process, and can share what takes long to make.
function(kupen_test name)
  cmake_parse_arguments(TEST "WHOLE" "LABEL" "SOURCES;DEPENDS;LIBRARIES;PROPERTIES" ${ARGN})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE directory)
  add_executable(${name} ${TEST_SOURCES})
  # Tests are compiled more often than they run.
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE kupen_warnings ${TEST_LIBRARIES} GTest::gmock)
  kupen_depend(${name} ${directory} ${TEST_DEPENDS})
  add_dependencies(tests-${TEST_LABEL} ${name})
  if(TEST_LABEL STREQUAL "unit")
    target_link_libraries(${name} PRIVATE GTest::gmock_main)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 30
      PROPERTIES LABELS unit TIMEOUT 60 ENVIRONMENT "${KUPEN_TEST_ENVIRONMENT}")
  elseif(TEST_WHOLE)
    add_test(NAME ${TEST_LABEL}.${name} COMMAND ${name})
    set_tests_properties(${TEST_LABEL}.${name} PROPERTIES
      LABELS ${TEST_LABEL} FIXTURES_REQUIRED ${TEST_LABEL} TIMEOUT ${KUPEN_SECONDS_${TEST_LABEL}}
      ENVIRONMENT "${KUPEN_TEST_ENVIRONMENT}" ${TEST_PROPERTIES})
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 30 TEST_PREFIX ${TEST_LABEL}.
      PROPERTIES LABELS ${TEST_LABEL} FIXTURES_REQUIRED ${TEST_LABEL}
                 TIMEOUT ${KUPEN_SECONDS_${TEST_LABEL}} ENVIRONMENT "${KUPEN_TEST_ENVIRONMENT}" ${TEST_PROPERTIES})
  endif()
endfunction()
