"""What pictures of dynamics are made of: poses, ellipsoids, arcs. No viewer's types, no ROS."""
